import { type Members, members } from '../../../core/platform/json-members.ts'
import type { ForgeApi } from '../imports/forge-api.ts'
import { lineOf } from '../imports/sources/read.ts'
import { deployKey, fingerprintOfLine } from './access.ts'
import { isSameRule, readRule, RULE_KINDS } from './protections.ts'
import { digest, knownList, part } from './server-context.ts'
import { readHook } from './steps/import-hooks.ts'

export interface Sides {
  readonly source: ForgeApi
  readonly target: ForgeApi
  readonly signal: AbortSignal
  /** Reactions and reviews are compared too. */
  readonly isThorough: boolean
  /** Names of accounts on this server by those of the other one in lower case. */
  readonly accounts: Map<string, string>
  /** `owner/name` of repositories on this server by their ids at the other one. */
  readonly repos: ReadonlyMap<string, string>
  difference(text: string): void
}

interface Compared {
  /** What is compared, such as `team makers of guild: members`. */
  readonly what: string
  /** Paths at the other server and at this one. */
  readonly paths: readonly [string, string]
  /** The item of the other server in the form of this one; undefined if it was not imported. */
  theirs(item: Members): Promise<string | undefined> | string | undefined
  ours(item: Members): Promise<string> | string
}

/** Reports items that one of the lists lacks; nothing if the other server does not have the list. */
async function compareList({ source, target, signal, difference }: Sides, list: Compared): Promise<void> {
  const { what, paths, theirs, ours } = list
  const items = await knownList({ source, signal }, paths[0])
  if (items === undefined) return
  const wanted = new Set(await mapped(items, theirs))
  const own = new Set(await mapped((await knownList({ source: target, signal }, paths[1])) ?? [], ours))
  for (const item of wanted) if (item !== undefined && !own.has(item)) difference(`${what}: ${item} is missing`)
  for (const item of own) if (!wanted.has(item)) difference(`${what}: ${item} is not at the other server`)
}

/** One after the other: some ask a server. */
async function mapped<T>(items: readonly Members[], read: (item: Members) => Promise<T> | T): Promise<T[]> {
  const found: T[] = []
  for (const item of items) found.push(await read(item))
  return found
}

export async function compareTeam(
  sides: Sides,
  what: string,
  [theirs, ours]: readonly [Members, Members],
): Promise<void> {
  const at = (list: string) =>
    [`/teams/${Number(theirs['id'])}/${list}`, `/teams/${Number(ours['id'])}/${list}`] as const
  await compareList(sides, {
    what: `${what}: members`,
    paths: at('members'),
    theirs: ({ login }) => sides.accounts.get(lineOf(login).toLowerCase()),
    ours: ({ login }) => lineOf(login),
  })
  await compareList(sides, {
    what: `${what}: repositories`,
    paths: at('repos'),
    theirs: ({ id }) => sides.repos.get(String(Number(id))),
    ours: ({ full_name }) => lineOf(full_name),
  })
}

export async function compareKeys(sides: Sides, login: string, name: string): Promise<void> {
  const at = (list: string) => [`/users/${part(login)}/${list}`, `/users/${part(name)}/${list}`] as const
  const ssh = ({ key }: Members): string => fingerprintOfLine(key)
  const gpg = ({ key_id }: Members): string => lineOf(key_id)
  await compareList(sides, { what: `SSH keys of ${login}`, paths: at('keys'), theirs: ssh, ours: ssh })
  await compareList(sides, { what: `GPG keys of ${login}`, paths: at('gpg_keys'), theirs: gpg, ours: gpg })
}

/** Variables of Actions and webhooks of an account, an organization or a repository; secrets cannot be read. */
export async function compareSettings(
  sides: Sides,
  name: string,
  pathsOf: (list: string) => readonly [string, string],
): Promise<void> {
  const variable = (item: Members): string => `${lineOf(item['name'])} with the digest ${digest(item['data'] ?? '')}`
  const hook = (item: Members): string => {
    const { type, config, events, branch_filter } = readHook(item)
    return [type, config.url, config.content_type, events.join(' '), branch_filter].filter(Boolean).join(', ')
  }
  const paths = pathsOf('actions/variables')
  await compareList(sides, { what: `${name}: variables`, paths, theirs: variable, ours: variable })
  await compareList(sides, { what: `${name}: webhooks`, paths: pathsOf('hooks'), theirs: hook, ours: hook })
}

/** Collaborators with their permissions, deploy keys, and protections of branches and tags. */
export async function compareRepoAccess(
  sides: Sides,
  fullName: string,
  paths: readonly [string, string],
): Promise<void> {
  const { source, target, signal, accounts } = sides
  const at = (list: string) => [`/repos/${paths[0]}/${list}`, `/repos/${paths[1]}/${list}`] as const
  const lists = at('collaborators')
  const permission = async (api: ForgeApi, list: string, login: unknown): Promise<string> => {
    const found = await api.find(`${list}/${part(lineOf(login))}/permission`, signal, [403, 404])
    const access = lineOf(members(found)['permission'])
    return access === 'owner' ? 'admin' : access
  }
  await compareList(sides, {
    what: `${fullName}: collaborators`,
    paths: lists,
    theirs: async ({ login }) => {
      const name = accounts.get(lineOf(login).toLowerCase())
      return name && `${name} (${await permission(source, lists[0], login)})`
    },
    ours: async ({ login }) => `${lineOf(login)} (${await permission(target, lists[1], login)})`,
  })
  await compareList(sides, {
    what: `${fullName}: deploy keys`,
    paths: at('keys'),
    theirs: deployKey,
    ours: deployKey,
  })
  for (const rules of RULE_KINDS) await compareRules(sides, fullName, { ...rules, paths: at(rules.list) })
}

interface ComparedRules {
  readonly what: string
  readonly key: string
  readonly paths: readonly [string, string]
}

async function compareRules(
  { source, target, signal, accounts, difference }: Sides,
  fullName: string,
  { what, key, paths }: ComparedRules,
): Promise<void> {
  const theirs = await knownList({ source, signal }, paths[0])
  if (theirs === undefined) return
  const nameOf = (rule: Members): string => lineOf(rule[key])
  const ours = new Map(
    ((await knownList({ source: target, signal }, paths[1])) ?? []).map((rule) => [nameOf(rule), readRule(rule)]),
  )
  for (const rule of theirs) {
    const own = ours.get(nameOf(rule))
    if (own === undefined) difference(`${fullName}: ${what} ${nameOf(rule)} is missing`)
    else if (!isSameRule(readRule(rule, accounts), own)) difference(`${fullName}: ${what} ${nameOf(rule)} differs`)
    ours.delete(nameOf(rule))
  }
  for (const name of ours.keys()) difference(`${fullName}: ${what} ${name} is not at the other server`)
}
