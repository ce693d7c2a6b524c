import type { Core, Services } from '../../../core/module.ts'
import { type Members, members } from '../../../core/platform/json-members.ts'
import type { ForgeApi } from '../imports/forge-api.ts'
import { lineOf } from '../imports/sources/read.ts'
import { digest, part, pick } from './server-context.ts'
import { createJournal } from './journal.store.ts'
import { compareDetails } from './repo-details.ts'
import { compareObjects, sharedLabels } from './repo-objects.ts'
import {
  openApi,
  openTarget,
  requireAdministrator,
  type ServerImportOptions,
  withoutForgeErrors,
} from './server-import.ts'
import { compareKeys, compareSettings, compareRepoAccess, compareTeam, type Sides } from './verify-access.ts'

export interface VerifyOptions extends Pick<
  ServerImportOptions,
  'from' | 'isChosen' | 'isThorough' | 'signal' | 'targetToken' | 'to' | 'token'
> {
  difference(text: string): void
}

const USER = ['full_name', 'email', 'location', 'website', 'description', 'visibility', 'is_admin', 'active', 'created']
const ORG = ['full_name', 'description', 'website', 'location', 'visibility']
const TEAM = ['description', 'permission', 'units_map', 'includes_all_repositories', 'can_create_org_repo']
const REPO = ['description', 'website', 'private', 'archived', 'template', 'fork', 'mirror', 'default_branch', 'empty']

/** Compares imported objects with those of the other server; returns the number of compared objects. */
export async function verifyServer(
  core: Pick<Core, 'clock' | 'database'> & Pick<Services, 'outgoingClient'>,
  options: VerifyOptions,
): Promise<number> {
  const { from, token, signal, difference } = options
  const journal = createJournal(core.database, from)
  const api = openTarget(core, options)
  const sides: Sides = {
    source: openApi(core, from, token),
    target: api.forge,
    signal,
    isThorough: options.isThorough,
    difference,
    accounts: new Map(),
    repos: new Map((await journal.list('repository')).map((e) => [e.source_id, e.target])),
  }
  let compared = 0
  try {
    return await withoutForgeErrors(from, async () => {
      await requireAdministrator({ ...sides, from })
      compared += await compareAccounts(
        sides,
        new Map((await journal.list('account')).map((e) => [e.source_id, e.target])),
      )
      for await (const [id, login] of each(sides.source, '/admin/orgs', signal)) {
        const found = await journal.find({ kind: 'organization', source_id: id })
        compared += await compareOrg(sides, login, found?.target)
        for await (const repo of each(sides.source, `/orgs/${part(login)}/repos`, signal, 'full_name'))
          compared += await compareChosen(repo)
      }
      for await (const [, login] of each(sides.source, '/admin/users', signal))
        for await (const repo of each(sides.source, `/users/${part(login)}/repos`, signal, 'full_name'))
          compared += await compareChosen(repo)
      return compared
    })
  } finally {
    await api.close()
  }

  async function compareChosen([id, fullName]: readonly [string, string]): Promise<number> {
    if (!options.isChosen(fullName)) return 0
    const found = await journal.find({ kind: 'repository', source_id: id })
    return compareRepo(sides, fullName, found?.target)
  }
}

async function* each(
  api: ForgeApi,
  path: string,
  signal: AbortSignal,
  name = 'login',
): AsyncGenerator<readonly [id: string, name: string]> {
  for await (const page of api.pages(path, signal, [404]))
    for (const item of page) {
      const value = members(item)
      yield [String(Number(value['id'])), lineOf(value[name] ?? value['username'])]
    }
}

const pathOf = (fullName: string): string => fullName.split('/').map(part).join('/')

/** Names the members that differ. */
function compare(
  { difference }: Pick<Sides, 'difference'>,
  what: string,
  [theirs, ours]: readonly [Members, Members],
  names: readonly string[],
): number {
  const differing = names.filter((name) => digest(theirs[name] ?? '') !== digest(ours[name] ?? ''))
  for (const name of differing) difference(`${what}: ${name} is ${show(ours[name])}, not ${show(theirs[name])}`)
  return 1
}

const show = (value: unknown): string => JSON.stringify(value ?? null).slice(0, 100)

async function compareAccounts(sides: Sides, names: ReadonlyMap<string, string>): Promise<number> {
  const { source, target, signal, difference } = sides
  const ours = new Map<string, Members>()
  for await (const page of target.pages('/admin/users', signal))
    for (const user of page) ours.set(lineOf(members(user)['login']), pick(members(user), USER))
  let compared = 0
  for await (const page of source.pages('/admin/users', signal))
    for (const item of page) {
      const user = members(item)
      const login = lineOf(user['login'])
      const name = names.get(String(Number(user['id']))) ?? ''
      const found = ours.get(name)
      if (found === undefined) {
        difference(`account ${login} is missing`)
        continue
      }
      compared += compare(sides, `account ${login}`, [user, found], USER)
      sides.accounts.set(login.toLowerCase(), name)
      await compareKeys(sides, login, name)
      await compareSettings(sides, login, (list) => [
        `/user/${list}?sudo=${part(login)}`,
        `/user/${list}?sudo=${part(name)}`,
      ])
    }
  return compared
}

async function compareOrg(sides: Sides, login: string, name: string | undefined): Promise<number> {
  const { source, target, signal, difference } = sides
  const found = name === undefined ? undefined : await target.find(`/orgs/${part(name)}`, signal)
  if (found === undefined || name === undefined) {
    difference(`organization ${login} is missing`)
    return 0
  }
  const theirs = members(await source.get(`/orgs/${part(login)}`, signal))
  const compared = compare(sides, `organization ${login}`, [theirs, members(found)], ORG)
  await compareSettings(sides, login, (list) => [`/orgs/${part(login)}/${list}`, `/orgs/${part(name)}/${list}`])
  const ours = new Map<string, Members>()
  for await (const page of target.pages(`/orgs/${part(name)}/teams`, signal))
    for (const team of page) ours.set(lineOf(members(team)['name']).toLowerCase(), members(team))
  let teams = 0
  for await (const page of source.pages(`/orgs/${part(login)}/teams`, signal))
    for (const item of page) {
      const team = members(item)
      const what = `team ${lineOf(team['name'])} of ${login}`
      const own = ours.get(lineOf(team['name']).toLowerCase())
      if (own === undefined) difference(`${what} is missing`)
      else {
        teams += compare(sides, what, [team, own], TEAM)
        await compareTeam(sides, what, [team, own])
      }
      ours.delete(lineOf(team['name']).toLowerCase())
    }
  for (const team of ours.values()) difference(`team ${lineOf(team['name'])} of ${login} is not at the other server`)
  return compared + teams
}

async function compareRepo(sides: Sides, fullName: string, name: string | undefined): Promise<number> {
  const { source, target, signal, difference } = sides
  const found = name === undefined ? undefined : await target.find(`/repos/${pathOf(name)}`, signal)
  if (found === undefined || name === undefined) {
    difference(`repository ${fullName} is missing`)
    return 0
  }
  const theirs = members(await source.get(`/repos/${pathOf(fullName)}`, signal))
  const compared = compare(sides, `repository ${fullName}`, [theirs, members(found)], REPO)
  const [at, copy] = [
    { api: source, path: pathOf(fullName), signal, accounts: sides.accounts },
    { api: target, path: pathOf(name), signal },
  ]
  const objects = await compareObjects({ source: at, copy, shared: await sharedLabels(at) })
  await compareRepoAccess(sides, fullName, [at.path, copy.path])
  await compareSettings(sides, fullName, (list) => [`/repos/${at.path}/${list}`, `/repos/${copy.path}/${list}`])
  const details = sides.isThorough ? await compareDetails(at, copy) : { compared: 0, differences: [] }
  for (const { kind, key, how } of [...objects.differences, ...details.differences])
    difference(`${fullName}: ${kind} ${key} ${HOW[how]}`)
  return compared + objects.compared + details.compared
}

const HOW = { differs: 'differs', missing: 'is missing', extra: 'is not at the other server' }
