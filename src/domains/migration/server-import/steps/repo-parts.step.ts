import { type Members, members, numberOf } from '../../../../core/platform/json-members.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { isTrue, lineOf, linesOf, parseTime } from '../../imports/sources/read.ts'
import { readRule, RULE_KINDS, writeRules } from '../protections.ts'
import { deployKey, grantAccess, removeAccess } from '../access.ts'
import {
  isStillEmpty,
  knownList,
  once,
  part,
  pick,
  send,
  type Sending,
  type ServerContext,
  type ServerStep,
  sourceList,
  targetName,
} from '../server-context.ts'
import { findTeam, namesOf } from './organizations.step.ts'
import { repoPath } from './repo-imports.ts'
import { avatarOf, writeAvatar } from './avatars.step.ts'
import type { Place } from './place.ts'
import { placeOf, reportSecrets, writeHooks, writeVariables } from './owner-parts.step.ts'
import { type ImportedRepo, importedRepos, targetRepo } from './repositories.step.ts'

/** A part of an imported repository: read from the other server, written once for each copy. */
type RepoPart = (context: ServerContext, repo: ImportedRepo) => Promise<void>

function repoPart(
  kind: string,
  read: (context: ServerContext, repo: ImportedRepo) => Promise<unknown>,
  write: (context: ServerContext, repo: ImportedRepo, value: never) => Promise<void>,
): RepoPart {
  return async (context, repo) => {
    const value = await read(context, repo)
    const { id, path, importId } = repo
    if (value === undefined || (Array.isArray(value) && (await isStillEmpty(context, { kind, id }, value)))) return
    await once(context, { kind, id, target: path, value: [importId, value] }, () =>
      write(context, repo, value as never),
    )
  }
}

/** Settings that the body of a change and the repository have in common. */
const SETTINGS = [
  'description',
  'website',
  'has_issues',
  'internal_tracker',
  'external_tracker',
  'has_wiki',
  'external_wiki',
  'has_projects',
  'projects_mode',
  'has_releases',
  'has_packages',
  'has_actions',
  'has_pull_requests',
  'ignore_whitespace_conflicts',
  'allow_merge_commits',
  'allow_rebase',
  'allow_rebase_explicit',
  'allow_rebase_update',
  'allow_squash_merge',
  'allow_fast_forward_only_merge',
  'allow_manual_merge',
  'autodetect_manual_merge',
  'default_delete_branch_after_merge',
  'default_allow_maintainer_edit',
  'default_merge_style',
  'template',
]

const repoSettings = repoPart(
  'repo-settings',
  async (_, { value }) => ({
    ...pick(value, value['mirror'] === true ? ['template'] : SETTINGS),
    ...(value['empty'] !== true && pick(value, ['default_branch'])),
    private: isTrue(value['private']) || isTrue(value['internal']),
  }),
  async (context, { path, fullName }, body: Members) => {
    await send(context, { method: 'PATCH', path: `/repos/${path}`, body, what: `settings of ${fullName}` })
  },
)

const topics = repoPart(
  'topics',
  async (_, { value }) => ({ topics: linesOf(value['topics']) }),
  async (context, { path, fullName }, body: Members) => {
    await send(context, { method: 'PUT', path: `/repos/${path}/topics`, body, what: `topics of ${fullName}` })
  },
)

const forks = repoPart(
  'fork',
  async (context, { value, fullName }) => {
    if (value['fork'] !== true) return undefined
    const parent = members(value['parent'])
    const found = await targetRepo(context, parent)
    if (found === undefined) context.report.omit(`fork ${fullName}: its parent was not imported`)
    return found
  },
  async ({ core: { database }, target }, { path }, parent: { readonly path: string }) => {
    const [fork, base] = [await target.find(`/repos/${path}`), await target.find(`/repos/${parent.path}`)]
    if (fork === undefined || base === undefined) return
    const ids = { id: repoId(fork), parentId: repoId(base) }
    await database.transaction((tx) => repoQueries.setParent(tx, ids))
  },
)

/** The API cannot set them. */
const creationTimes = repoPart(
  'repo-created',
  async (_, { value }) => parseTime(value['created_at']),
  async ({ core: { database }, target }, { path }, at: number) => {
    const repo = await target.find(`/repos/${path}`)
    if (repo !== undefined) await database.transaction((tx) => repoQueries.setCreatedAt(tx, repoId(repo), at))
  },
)

const repoId = (repo: Members): RepoId => asId(numberOf(repo['id']))

const collaborators = repoPart(
  'collaborators',
  async (context, { fullName }) => {
    const path = `/repos/${repoPath(fullName)}/collaborators`
    const found: { name: string; permission: string }[] = []
    const users = await knownList(context, path)
    for (const user of users ?? []) {
      const login = lineOf(user['login'])
      const name = targetName(context, login)
      const access = members(await context.source.find(`${path}/${part(login)}/permission`, context.signal, [403, 404]))
      if (name !== undefined) found.push({ name, permission: lineOf(access['permission']) })
    }
    return users && found
  },
  async (context, { id, path, fullName }, value: readonly { readonly name: string; readonly permission: string }[]) => {
    const list = `/repos/${path}/collaborators`
    const at = (name: string) => ({ path: `${list}/${part(name)}`, what: `collaborator ${name} of ${fullName}` })
    const access = {
      kind: `collaborators ${id}`,
      theirs: new Map(
        value.map(({ name, permission }) => {
          const body = { permission: permission === 'owner' ? 'admin' : permission }
          return [name.toLowerCase(), { ...at(name), method: 'PUT', body } as const]
        }),
      ),
      ours: async () =>
        new Map((await context.target.list(list)).map(({ login }) => [lineOf(login).toLowerCase(), at(lineOf(login))])),
    }
    await grantAccess(context, access)
    await removeAccess(context, access)
  },
)

const deployKeys = repoPart(
  'deploy-keys',
  async (context, { fullName }) =>
    (await knownList(context, `/repos/${repoPath(fullName)}/keys`))?.map((key) =>
      pick(key, ['title', 'key', 'read_only']),
    ),
  async (context, { id, path: repo, fullName }, keys: readonly Members[]) => {
    const path = `/repos/${repo}/keys`
    const whatOf = (key: Members): string => `deploy key "${lineOf(key['title'])}" of ${fullName}`
    const access = {
      kind: `deploy-keys ${id}`,
      theirs: new Map(
        keys.map((body) => [deployKey(body), { method: 'POST', path, body, what: whatOf(body) } as const]),
      ),
      ours: async () =>
        new Map(
          (await context.target.list(path)).map((key) => [
            deployKey(key),
            { path: `${path}/${numberOf(key['id'])}`, what: whatOf(key) },
          ]),
        ),
    }
    await removeAccess(context, access)
    await grantAccess(context, access)
  },
)

/** Runs after the teams and collaborators, which rules name. */
const protections: readonly RepoPart[] = RULE_KINDS.map((rules) =>
  repoPart(
    rules.kind,
    async (context, { fullName }) =>
      (await knownList(context, `/repos/${repoPath(fullName)}/${rules.list}`))?.map((rule) =>
        readRule(rule, context.names.accounts),
      ),
    (context, repo, theirs: readonly Members[]) => writeRules(context, rules, { ...repo, theirs }),
  ),
)

const watches = repoPart(
  'watches',
  (context, { fullName }) => namesOf(context, `/repos/${repoPath(fullName)}/subscribers`),
  async (context, { path, fullName }, watchers: readonly string[]) => {
    for (const name of watchers) {
      const what = `${name} watching ${fullName}`
      await send(context, { method: 'PUT', path: `/repos/${path}/subscription`, as: name, what })
    }
  },
)

/** Other teams have all repositories. */
const isChosenTeam = (team: Members): boolean => team['includes_all_repositories'] !== true

const teamRepos = repoPart(
  'team-repos',
  async (context, { fullName }) =>
    (await knownList(context, `/repos/${repoPath(fullName)}/teams`))
      ?.filter(isChosenTeam)
      .map(({ name }) => lineOf(name)),
  async (context, { id: repo, path, target, fullName }, teams: readonly string[]) => {
    const at = (id: number, name: string) => ({
      path: `/teams/${id}/repos/${path}`,
      what: `team ${name} of ${fullName}`,
    })
    const theirs = new Map<string, Sending>()
    for (const name of teams) {
      const id = (await findTeam(context, target.split('/', 1)[0]!, name)) ?? 0
      theirs.set(String(id), { ...at(id, name), method: 'PUT' })
    }
    const access = {
      kind: `team-repos ${repo}`,
      theirs,
      ours: async () =>
        new Map(
          (await context.target.list(`/repos/${path}/teams`))
            .filter(isChosenTeam)
            .map(({ id, name }) => [String(numberOf(id)), at(numberOf(id), lineOf(name))]),
        ),
    }
    await grantAccess(context, access)
    await removeAccess(context, access)
  },
)

/** Mirrors of other servers that repositories push to have passwords, which cannot be read. */
const pushMirrors = repoPart(
  'push-mirrors',
  (context, { fullName }) => sourceList(context, `/repos/${repoPath(fullName)}/push_mirrors`),
  async (context, { fullName }, mirrors: readonly Members[]) => {
    for (const mirror of mirrors)
      context.report.omit(
        `push mirror of ${fullName} to ${lineOf(mirror['remote_address'])}: its password cannot be read`,
      )
  },
)

/** Archived repositories can be changed by nobody, so this comes last. */
const archived: RepoPart = async (context, { path, fullName, value }) => {
  const isArchived = isTrue(value['archived'])
  if ((await context.target.find(`/repos/${path}`))?.['archived'] === isArchived) return
  const what = `${isArchived ? 'archiving' : 'unarchiving'} ${fullName}`
  await send(context, { method: 'PATCH', path: `/repos/${path}`, body: { archived: isArchived }, what })
}

const ofPlace =
  (write: (context: ServerContext, place: Place) => Promise<void>): RepoPart =>
  (context, repo) =>
    write(context, placeOf(repo))

const PARTS: readonly RepoPart[] = [
  repoSettings,
  topics,
  creationTimes,
  async (context, repo) => writeAvatar(context, avatarOf(repo)),
  forks,
  teamRepos,
  collaborators,
  deployKeys,
  ...protections,
  ofPlace(writeVariables),
  ofPlace(reportSecrets),
  ofPlace(writeHooks),
  pushMirrors,
  watches,
  archived,
]

/** Everything about the imported repositories that their imports do not bring. Reads each of them once. */
export const repoPartsStep: ServerStep = {
  name: 'settings of repositories',
  async run(context) {
    if (context.isDryRun) return
    for await (const repo of importedRepos(context)) for (const write of PARTS) await write(context, repo)
  },
}
