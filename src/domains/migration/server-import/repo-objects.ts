import { createHash } from 'node:crypto'
import { type Members, members, numberOf, textOf } from '../../../core/platform/json-members.ts'
import type { ForgeApi } from '../imports/forge-api.ts'
import { lineOf, membersOf, numberAtEnd } from '../imports/sources/read.ts'

interface ObjectList {
  readonly kind: string
  readonly path: string
  key(value: Members): string
  /** What two servers have in common: no ids and no addresses. */
  facts(value: Members): unknown
}

const UUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g
/** Files have addresses of their own on each server. */
const ADDRESS = /https?:\/\/[^\s)\]"']{1,300}\/attachments\//g
const body = (value: unknown): string => textOf(value).replaceAll(ADDRESS, '/attachments/').replaceAll(UUID, 'UUID')

const taking =
  (...names: readonly string[]) =>
  (value: Members): unknown =>
    names.map((name) => value[name] ?? null)

const titles = (value: unknown): string[] =>
  membersOf(value)
    .map(({ name }) => lineOf(name))
    .toSorted()

/** The lists of a repository that are compared. */
const LISTS: readonly ObjectList[] = [
  { kind: 'branch', path: 'branches', key: ({ name }) => lineOf(name), facts: ({ commit }) => members(commit)['id'] },
  { kind: 'tag', path: 'tags', key: ({ name }) => lineOf(name), facts: ({ commit }) => members(commit)['sha'] },
  {
    kind: 'label',
    path: 'labels',
    key: ({ name }) => lineOf(name),
    facts: ({ color, description, exclusive }) => [lineOf(color).toLowerCase(), description ?? '', exclusive === true],
  },
  {
    kind: 'milestone',
    path: 'milestones?state=all',
    key: ({ title }) => lineOf(title),
    facts: taking('description', 'state'),
  },
  {
    kind: 'release',
    path: 'releases',
    key: ({ tag_name, name }) => `${lineOf(tag_name)} ${lineOf(name)}`,
    facts: ({ draft, prerelease, assets, ...value }) => [
      body(value['body']),
      draft,
      prerelease,
      membersOf(assets)
        .map(({ name, size }) => `${lineOf(name)} ${numberOf(size)}`)
        .toSorted(),
    ],
  },
  {
    kind: 'issue',
    path: 'issues?state=all',
    key: ({ number }) => String(numberOf(number)),
    facts: ({ labels, assets, pull_request, ...value }) => [
      taking('title', 'state', 'created_at', 'updated_at', 'closed_at', 'is_locked', 'comments')(value),
      body(value['body']),
      titles(labels),
      titles(assets),
      members(pull_request)['merged'] === true,
    ],
  },
  {
    kind: 'comment',
    path: 'issues/comments',
    key: ({ issue_url, pull_request_url, created_at }) =>
      `${numberAtEnd(issue_url) || numberAtEnd(pull_request_url)} ${lineOf(created_at)}`,
    facts: ({ updated_at, ...value }) => [updated_at, body(value['body'])],
  },
]

export interface RepoObject {
  readonly kind: string
  readonly key: string
  readonly facts: string
}

/** The objects of a repository, one kind after the other; empty repositories and disabled units have none. */
export async function* repoObjects(api: ForgeApi, path: string, signal: AbortSignal): AsyncGenerator<RepoObject> {
  for (const { kind, path: list, key, facts } of LISTS)
    for await (const page of api.pages(`/repos/${path}/${list}`, signal, [403, 404, 409]))
      for (const item of page) yield { kind, key: key(members(item)), facts: JSON.stringify(facts(members(item))) }
}

/** A digest of everything that an import of the repository would bring, as far as lists show it. */
export async function repoFingerprint(api: ForgeApi, path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const { kind, key, facts } of repoObjects(api, path, signal)) hash.update(`${kind}\0${key}\0${facts}\n`)
  return hash.digest('hex')
}
