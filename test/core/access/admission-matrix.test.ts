import type { Repo } from '../../../src/domains/repositories/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withUnit } from '../../../src/core/access/repo-access.ts'
import { systemActor } from '../../../src/core/access/viewer.ts'
import { updateRepo } from '../../../src/domains/repositories/repos/repo.store.ts'
import type { Organization, Person } from '../../harness/world.ts'
import { startSshFixture, type SshConnection, type SshFixture } from '../../transports/git-ssh/fixture.ts'

import {
  API,
  type Cell,
  type Difference,
  DIFFERENCES,
  type Direction,
  GIT,
  PRINCIPALS,
  type Principal,
  REPOS,
  type RepoKind,
  type Transport,
  TRANSPORTS,
  type Verdict,
} from './admission-table.ts'

/**
 * The same callers at the same repositories on every transport. The API is the reference: what it decides, the other
 * transports decide too, apart from the rows of DIFFERENCES.
 */

let ssh: SshFixture
const headers = new Map<Principal, Record<string, string>>()
const connections = new Map<Principal, SshConnection>()
const used = new Set<Difference>()

const basic = (person: Person, token: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${person.name}:${token}`).toString('base64')}`,
})
/** What the owner's path of a repository is. */
const pathOf = (repo: RepoKind): string => (repo === 'limited' ? 'club/limited' : `acme/${repo}`)

beforeAll(async () => {
  ssh = await startSshFixture({}, { tuning: { ssh: { maxUnauthenticatedPerAddress: 50 } } })
  const { world } = ssh.server
  const owner = await world.user('olga')
  const acme = await world.org('acme', { owner })
  const club = await world.org('club', { owner, visibility: 'limited' })
  const reader = await world.user('rita')
  const people: [Principal, Person][] = [
    ['restricted user', await world.user('rex', { isRestricted: true })],
    ['reader', reader],
    ['team writer', await world.user('wim')],
    ['owner', owner],
    ['site admin', await world.admin()],
    ['prohibited', await world.user('pia')],
    ['must change password', await world.user('max')],
  ]
  const byName = new Map(people)
  for (const [org, kinds] of [
    [acme, REPOS.filter((repo) => repo !== 'limited' && repo !== 'missing')],
    [club, ['limited']],
  ] as const)
    await makeRepos(org, kinds, byName)
  for (const [name, person] of people) {
    headers.set(name, basic(person, await person.token('all')))
    connections.set(name, await ssh.connect(await ssh.keyOf(person)))
  }
  headers.set('anonymous', {})
  headers.set('read-only token', basic(owner, await owner.token('read:repository')))
  headers.set('public-only token', basic(owner, await owner.token('public-only', 'all')))
  const other = await world.repo({ owner, name: 'other' })
  const limited = await owner.client.post('/users/olga/tokens', {
    name: 'other',
    scopes: ['all'],
    repositories: [other.fullName],
  })
  headers.set('token for another repository', basic(owner, limited.json.sha1))
  const { users } = ssh.server.app
  await users.edit(systemActor, byName.get('prohibited')!.user, { isLoginProhibited: true })
  await users.edit(systemActor, byName.get('must change password')!.user, { mustChangePassword: true })
}, 120_000)

afterAll(async () => {
  for (const connection of connections.values()) connection.end()
  await ssh.close()
})

/**
 * Repositories of an organization, which readers read by collaboration and writers write by a team with the code unit.
 */
async function makeRepos(org: Organization, kinds: readonly RepoKind[], people: ReadonlyMap<Principal, Person>) {
  const { world, app } = ssh.server
  const repos: Repo[] = []
  for (const kind of kinds) {
    const isPrivate = kind === 'private' || kind === 'renamed'
    const repo = await world.repo({
      owner: org.org,
      by: org.owner,
      name: kind,
      autoInit: true,
      isPrivate,
      defaultBranch: 'main',
    })
    for (const principal of ['reader', 'prohibited', 'must change password'] as const) {
      const path = `/repos/${repo.fullName}/collaborators/${people.get(principal)!.name}`
      expect((await org.owner.client.put(path, { permission: 'read' })).status).toBe(204)
    }
    repos.push(repo)
  }
  await org.team('writers', { permission: 'write', units: ['repo.code'], members: [people.get('team writer')!], repos })
  const set = (kind: RepoKind, values: Parameters<typeof updateRepo>[2]): Promise<void> =>
    app.database.transaction(async (tx) => updateRepo(tx, repos[kinds.indexOf(kind)]!.id, values))
  if (kinds.includes('private'))
    connections.set(
      'deploy key',
      await ssh.connect(await ssh.deployKey(repos[kinds.indexOf('private')]!.id, { readOnly: false })),
    )
  if (kinds.includes('archived')) await set('archived', { is_archived: 1 })
  if (kinds.includes('mirror')) await set('mirror', { is_mirror: 1 })
  if (kinds.includes('code-off')) await set('code-off', { units: withUnit(repos[0]!.units, 'repo.code', false) })
  if (kinds.includes('renamed'))
    expect((await org.owner.client.patch(`/repos/${org.name}/renamed`, { name: 'new-name' })).status).toBe(200)
}

const STATUS: Readonly<Record<number, Verdict>> = {
  200: 'yes',
  // The body of a write is broken: an answer about it means that the caller was admitted.
  400: 'yes',
  422: 'yes',
  301: 'moved',
  307: 'moved',
  401: 'sign in',
  403: 'forbidden',
  404: 'missing',
  423: 'read-only',
}

async function call(
  who: Principal,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Verdict> {
  const answer = await fetch(`${ssh.server.url}/${path}`, {
    ...init,
    headers: { ...init.headers, ...headers.get(who)! },
    redirect: 'manual',
  })
  const text = await answer.text()
  if (answer.status === 403 && /archived|mirror/i.test(text)) return 'read-only'
  return STATUS[answer.status] ?? `${answer.status} ${text}`
}

async function overSsh(who: Principal, command: string): Promise<Verdict> {
  const { stdout, stderr } = await connections.get(who)!.run(command)
  if (/^[0-9a-f]{4}/.test(stdout)) return 'yes'
  if (stderr.includes('Cannot find repository')) return 'missing'
  if (/is archived|read-only/.test(stderr)) return 'read-only'
  return /not authorized|disabled|password|Push to create/.test(stderr) ? 'forbidden' : stderr
}

const LFS = { accept: 'application/vnd.git-lfs+json', 'content-type': 'application/vnd.git-lfs+json' }

const ask = {
  api: ({ who, repo, direction }: Cell) =>
    direction === 'read'
      ? call(who, `api/v1/repos/${pathOf(repo)}/contents/README.md`)
      : call(who, `api/v1/repos/${pathOf(repo)}/contents/new.txt`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: '{"broken',
        }),
  'git over HTTP': ({ who, repo, direction }: Cell) =>
    call(who, `${pathOf(repo)}.git/info/refs?service=git-${direction === 'read' ? 'upload' : 'receive'}-pack`),
  'git over SSH': ({ who, repo, direction }: Cell) =>
    overSsh(who, `git-${direction === 'read' ? 'upload' : 'receive'}-pack '${pathOf(repo)}.git'`),
  LFS: ({ who, repo, direction }: Cell) =>
    call(who, `${pathOf(repo)}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: LFS,
      body: JSON.stringify({ operation: direction === 'read' ? 'download' : 'upload', objects: [] }),
    }),
  raw: ({ who, repo }: Cell) => call(who, `${pathOf(repo)}/raw/branch/main/README.md`),
  archive: ({ who, repo }: Cell) => call(who, `${pathOf(repo)}/archive/main.zip`),
} satisfies Record<Transport | 'api', (cell: Cell) => Promise<Verdict>>

const isAsked = (transport: Transport | 'api', { who, direction }: Cell): boolean =>
  (transport === 'git over SSH' ? connections.has(who) : headers.has(who)) &&
  (direction === 'read' || (transport !== 'raw' && transport !== 'archive'))

const cellsOf = (direction: Direction): Cell[] =>
  REPOS.flatMap((repo) => PRINCIPALS.map((who): Cell => ({ who, repo, direction })))
const nameOf = ({ who, repo, direction }: Cell): string => `${who} ${direction}s ${repo}`

async function answersOf(transport: Transport | 'api', cells: readonly Cell[]): Promise<Record<string, Verdict>> {
  const answers: Record<string, Verdict> = {}
  for (const cell of cells) if (isAsked(transport, cell)) answers[nameOf(cell)] = await ask[transport](cell)
  return answers
}

/** What a row expects of a cell: the verdict of the API, or that of the first difference that fits. */
function expected(transport: Transport, cell: Cell): Verdict {
  const api = inApi(cell)
  const row = DIFFERENCES.find(
    ({ on, who, repo, direction, instead }) =>
      on.includes(transport) &&
      (who ?? PRINCIPALS).includes(cell.who) &&
      (repo ?? REPOS).includes(cell.repo) &&
      (direction ?? cell.direction) === cell.direction &&
      instead.includes(api),
  )
  if (row === undefined) return api
  used.add(row)
  return row.says
}

/** Deploy keys have no API: theirs is the access of a writer in their repository, of an anonymous caller elsewhere. */
function inApi({ who, repo, direction }: Cell): Verdict {
  if (who !== 'deploy key') return API[direction][who]![REPOS.indexOf(repo)]!
  return API[direction][repo === 'private' ? 'team writer' : 'anonymous']![REPOS.indexOf(repo)]!
}

describe('one authorization decision', () => {
  it.each(['read', 'write'] as const)('the API, %s', async (direction) => {
    const cells = cellsOf(direction).filter((cell) => isAsked('api', cell))
    expect(await answersOf('api', cells)).toEqual(Object.fromEntries(cells.map((cell) => [nameOf(cell), inApi(cell)])))
  })

  it.each([
    ...TRANSPORTS.map((transport) => [transport, 'read'] as const),
    ...[...GIT, 'LFS' as const].map((transport) => [transport, 'write'] as const),
  ])('%s decides as the API, %s', async (transport, direction) => {
    const cells = cellsOf(direction).filter((cell) => isAsked(transport, cell))
    const wanted = Object.fromEntries(cells.map((cell) => [nameOf(cell), expected(transport, cell)]))
    expect(await answersOf(transport, cells)).toEqual(wanted)
  })

  it('no difference is obsolete', () => {
    expect(DIFFERENCES.filter((row) => !used.has(row))).toEqual([])
  })
})
