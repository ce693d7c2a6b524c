import { createHash } from 'node:crypto'
import { type Members, members, numberOf, textOf } from '../../../core/platform/json-members.ts'
import type { ForgeApi } from '../imports/forge-api.ts'
import { lineOf, membersOf, numberAtEnd } from '../imports/sources/read.ts'
import { digest } from './server-context.ts'

/** The name of an account on this server; undefined for one that was not imported. */
type NameOf = (login: string) => string | undefined

interface ObjectList {
  readonly kind: string
  readonly path: string
  /** The list can be limited to changes since a time. */
  readonly hasSince?: boolean
  key(value: Members): string
  /** Members that both servers have in common: no ids and no addresses. */
  facts(value: Members, nameOf: NameOf): unknown
}

const UUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g
/** Files have addresses of their own on each server. */
const ADDRESS = /https?:\/\/[^\s)\]"']{1,300}\/attachments\//g
export const bodyWithoutAddresses = (value: unknown): string =>
  textOf(value).replaceAll(ADDRESS, '/attachments/').replaceAll(UUID, 'UUID')

const taking =
  (...names: readonly string[]) =>
  (value: Members): unknown =>
    names.map((name) => value[name] ?? null)

const titles = (value: unknown): string[] =>
  membersOf(value)
    .map(({ name }) => lineOf(name))
    .toSorted()

/** Short lists, and those from which nothing disappears unless it is deleted. */
const PARTS: readonly ObjectList[] = [
  { kind: 'branch', path: 'branches', key: ({ name }) => lineOf(name), facts: ({ commit }) => members(commit)['id'] },
  { kind: 'tag', path: 'tags', key: ({ name }) => lineOf(name), facts: ({ commit }) => members(commit)['sha'] },
  {
    kind: 'label',
    path: 'labels',
    key: ({ name }) => lineOf(name),
    facts: ({ color, description, exclusive, is_archived }) => [
      lineOf(color).toLowerCase(),
      description ?? '',
      exclusive === true,
      is_archived === true,
    ],
  },
  {
    kind: 'milestone',
    path: 'milestones?state=all',
    key: ({ title }) => lineOf(title),
    facts: taking('description', 'state', 'due_on'),
  },
  {
    kind: 'release',
    path: 'releases',
    key: ({ tag_name }) => lineOf(tag_name),
    facts: ({ name, draft, prerelease, assets, ...value }) => [
      name,
      bodyWithoutAddresses(value['body']),
      draft,
      prerelease,
      membersOf(assets)
        .map((asset) => `${lineOf(asset['name'])} ${numberOf(asset['size'])}`)
        .toSorted(),
    ],
  },
]

const ITEMS: readonly ObjectList[] = [
  {
    kind: 'open pull request',
    path: 'pulls?state=open',
    key: ({ number }) => String(numberOf(number)),
    facts: ({ head, base }) => [members(head)['sha'], members(base)['ref']],
  },
  {
    kind: 'issue',
    path: 'issues?state=all',
    hasSince: true,
    key: ({ number }) => String(numberOf(number)),
    facts: ({ labels, assets, assignees, pull_request, milestone, ...value }, nameOf) => [
      taking('title', 'state', 'created_at', 'updated_at', 'closed_at', 'is_locked', 'due_date')(value),
      lineOf(value['ref']),
      numberOf(value['time_estimate']),
      numberOf(value['pin_order']),
      membersOf(assignees)
        .flatMap(({ login }) => nameOf(lineOf(login)) ?? [])
        .toSorted(),
      bodyWithoutAddresses(value['body']),
      titles(labels),
      titles(assets),
      members(milestone)['title'] ?? null,
      members(pull_request)['merged'] === true,
    ],
  },
  {
    kind: 'comment',
    path: 'issues/comments',
    hasSince: true,
    key: ({ issue_url, pull_request_url, created_at }) =>
      `${numberAtEnd(issue_url) || numberAtEnd(pull_request_url)} ${lineOf(created_at)}`,
    facts: ({ updated_at, ...value }) => [updated_at, bodyWithoutAddresses(value['body'])],
  },
]

interface RepoObject {
  readonly kind: string
  readonly key: string
  readonly facts: string
}

/** A repository at one of the two servers. */
export interface RepoAt {
  readonly api: ForgeApi
  /** `owner/name` in an address. */
  readonly path: string
  readonly signal: AbortSignal
  /** Names of accounts on this server by those of the other one in lower case; absent for this server. */
  readonly accounts?: ReadonlyMap<string, string>
}

/** Empty repositories and disabled units have none. */
async function* objectsOf(
  { api, path, signal, accounts }: RepoAt,
  { kind, path: list, hasSince = false, key, facts }: ObjectList,
  since: string | undefined,
): AsyncGenerator<RepoObject> {
  const nameOf: NameOf = (login) => (accounts === undefined ? login : accounts.get(login.toLowerCase()))
  const sign = list.includes('?') ? '&' : '?'
  const query = hasSince && since !== undefined ? `${sign}since=${since}` : ''
  for await (const page of api.pages(`/repos/${path}/${list}${query}`, signal, [403, 404, 409]))
    for (const item of page)
      yield { kind, key: key(members(item)), facts: JSON.stringify(facts(members(item), nameOf)) }
}

/** How a repository differs from its copy. */
export interface Difference {
  readonly kind: string
  readonly key: string
  readonly how: 'differs' | 'extra' | 'missing'
}

interface Comparison {
  readonly source: RepoAt
  readonly copy: RepoAt
  /** Labels of the organization, which an import copies. */
  readonly shared: ReadonlySet<string>
  /** Reads only the issues and comments that have changed since this time. */
  readonly since?: string | undefined
}

/** Compares the objects of a repository with those of its copy; also returns the number of compared objects. */
export async function compareObjects({
  source,
  copy,
  shared,
  since,
}: Comparison): Promise<{ readonly compared: number; readonly differences: readonly Difference[] }> {
  const differences: Difference[] = []
  let compared = 0
  for (const list of [...PARTS, ...ITEMS]) {
    // NOTE: only digests are stored: a repository may have hundreds of thousands of comments.
    const ours = new Map<string, string>()
    for await (const { key, facts } of objectsOf(copy, list, since)) add(ours, key, digest(facts))
    const seen = new Map<string, string>()
    for await (const { kind, key, facts } of objectsOf(source, list, since)) {
      const id = kind === 'label' ? key : add(seen, key, '')
      seen.set(id, '')
      const own = ours.get(id)
      if (own === undefined) differences.push({ kind, key: id, how: 'missing' })
      else if (own !== digest(facts)) differences.push({ kind, key: id, how: 'differs' })
      compared++
    }
    for (const key of ours.keys())
      if (!seen.has(key) && !(list.kind === 'label' && shared.has(key)))
        differences.push({ kind: list.kind, key, how: 'extra' })
  }
  return { compared, differences }
}

/** Several objects may have one key, such as comments of one second. */
function add(to: Map<string, string>, key: string, value: string): string {
  let id = key
  for (let count = 2; to.has(id); count++) id = `${key} (${count})`
  to.set(id, value)
  return id
}

/** Names of labels that the repositories of an organization share. */
export async function sharedLabels({ api, path, signal }: RepoAt): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for await (const page of api.pages(`/orgs/${path.split('/', 1)[0]!}/labels`, signal, [403, 404]))
    for (const label of page) names.add(lineOf(members(label)['name']))
  return names
}

/** How many issues and pull requests, and how many comments, a repository has. */
export const countItems = ({ api, path, signal }: RepoAt): Promise<(number | undefined)[]> =>
  Promise.all(['issues?state=all', 'issues/comments'].map((list) => api.count(`/repos/${path}/${list}`, signal)))

/** A digest of the short lists and of the number of issues and comments. */
export async function fingerprintOf(repo: RepoAt): Promise<string> {
  const hash = createHash('sha256')
  for (const list of PARTS)
    for await (const { kind, key, facts } of objectsOf(repo, list, undefined))
      hash.update(`${kind}\0${key}\0${facts}\n`)
  return hash.update((await countItems(repo)).join(' ')).digest('hex')
}

/** Whether an issue or a comment has changed after a time in epoch milliseconds. */
export async function hasChangedAfter({ api, path, signal }: RepoAt, at: number): Promise<boolean> {
  const since = new Date(at + 1000).toISOString()
  for (const list of ['issues?state=all&', 'issues/comments?'])
    if (((await api.count(`/repos/${path}/${list}since=${since}`, signal)) ?? 0) > 0) return true
  return false
}
