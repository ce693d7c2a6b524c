import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/core/http/operation.ts'
import { rows } from '../../harness/expect.ts'
import { quickFetch } from '../../harness/quick-fetch.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

/**
 * Every registered operation by every kind of caller without access. Refusals come before a body is read, in
 * the same words whether the thing is hidden or missing, and leave nothing behind. New operations are covered as they
 * are registered.
 */

interface Answer {
  readonly status: number
  readonly body: string
  /** Headers by name, without those that differ in every answer. */
  readonly headers: Readonly<Record<string, string>>
}

const ALWAYS_NEW = new Set(['date', 'x-request-id'])

/** Values of the parameters of a path. */
type Place = Readonly<Record<string, string>>

const BROKEN_BODY = '{"broken'
const PUBLIC = { owner: 'alice', repo: 'open' }

let server: TestServer
const headers: Record<string, Record<string, string>> = {}
let operations: readonly Operation[]

beforeAll(async () => {
  server = await startServer()
  operations = server.app.operations
  const { world } = server
  const people: Record<string, Person> = {}
  for (const name of ['alice', 'outsider', 'reader', 'writer']) people[name] = await world.user(name)
  people['restricted'] = await world.user('restricted', { isRestricted: true })
  await world.user('shy', { visibility: 'limited' })
  people['hermit'] = await world.user('hermit', { visibility: 'private' })
  people['homebody'] = await world.user('homebody', { visibility: 'limited' })
  people['root'] = await world.admin()
  for (const [name, person] of Object.entries(people))
    headers[name] = { authorization: `token ${await person.token('all')}` }
  headers['anonymous'] = {}
  headers['alice-publicly'] = { authorization: `token ${await people['alice']!.token('public-only', 'all')}` }
  headers['alice-mute'] = { authorization: `token ${await people['alice']!.token('read:package')}` }
  const alice = people['alice']!
  await world.repo({ owner: alice, name: 'open', autoInit: true })
  await world.repo({ owner: alice, name: 'secret-before', autoInit: true, isPrivate: true })
  expect((await alice.client.patch('/repos/alice/secret-before', { name: 'secret' })).status).toBe(200)
  await world.repo({ owner: people['hermit']!, name: 'cave', autoInit: true })
  await world.repo({ owner: people['homebody']!, name: 'attic', autoInit: true })
  await world.repo({ owner: alice, name: 'old', autoInit: true })
  for (const repo of ['open', 'secret', 'old']) {
    expect((await alice.client.put(`/repos/alice/${repo}/collaborators/reader`, { permission: 'read' })).status).toBe(
      204,
    )
    expect((await alice.client.put(`/repos/alice/${repo}/collaborators/writer`, { permission: 'write' })).status).toBe(
      204,
    )
  }
  for (const repo of ['open', 'secret', 'old']) {
    const file = { content: '', message: 'side', branch: 'main', new_branch: 'side' }
    expect((await alice.client.post(`/repos/alice/${repo}/contents/side.txt`, file)).status).toBe(201)
    const pull = await alice.client.post(`/repos/alice/${repo}/pulls`, { head: 'side', base: 'main', title: 'First' })
    expect(pull).toMatchObject({ status: 201, json: { number: 1 } })
  }
  expect((await alice.client.patch('/repos/alice/old', { archived: true })).status).toBe(200)
  const limited = await alice.client.post('/users/alice/tokens', {
    name: 'one-repo',
    scopes: ['all'],
    repositories: ['alice/open'],
  })
  expect(limited.status).toBe(201)
  headers['alice-one-repo'] = { authorization: `token ${limited.json.sha1}` }
  const { org: cabal } = await world.org('cabal', { visibility: 'private', owner: alice })
  await world.repo({ owner: cabal, by: alice, name: 'plans', autoInit: true })
  const suspended = await world.user('suspended')
  headers['suspended'] = { authorization: `token ${await suspended.token('all')}` }
  await people['root']!.client.patch('/admin/users/suspended', {
    source_id: 0,
    login_name: 'suspended',
    prohibit_login: true,
  })
}, 60_000)
afterAll(() => server.close())

const DEFAULTS: Place = {
  ...PUBLIC,
  org: 'cabal',
  username: 'outsider',
  id: '1',
  branch: 'main',
  ref: 'main',
  sha: 'main',
  base: 'main',
  head: 'side',
  collaborator: 'reader',
  filepath: 'README.md',
  diffType: 'diff',
  tag: 'v1',
  team: 'none',
  topic: 'x',
}

/** The path with its parameters put in; those without a meaning here are `1`. */
const fill = (path: string, place: Place): string =>
  path.replace(/\{([^}]+?)(?::int)?\}/g, (_, name: string) => encodeURIComponent(place[name] ?? DEFAULTS[name] ?? '1'))

async function call(operation: Operation, as: string, place: Place = {}): Promise<Answer> {
  const sendsBody = operation.method !== 'GET' && operation.method !== 'HEAD'
  const {
    status,
    text,
    headers: sent,
  } = await quickFetch(`${server.url}/api/v1${fill(operation.path, place)}`, {
    method: operation.method,
    headers: { ...headers[as]!, ...(sendsBody && { 'content-type': 'application/json' }) },
    body: sendsBody ? BROKEN_BODY : null,
  })
  return {
    status,
    body: text,
    headers: Object.fromEntries([...sent].filter(([name]) => !ALWAYS_NEW.has(name))),
  }
}

const missing = new Map<string, Answer>()

/** The answer for a repository that was never made, which is the same whatever else is hidden from the caller. */
async function callMissing(operation: Operation, as: string, owner: string): Promise<Answer> {
  const key = `${as} ${operation.id} ${owner}`
  const known = missing.get(key) ?? (await call(operation, as, { owner, repo: 'never-made' }))
  missing.set(key, known)
  return known
}

/** `operation id: what is wrong` for each operation for which `check` gives a text. */
async function walk(
  chosen: readonly Operation[],
  check: (operation: Operation) => Promise<string | undefined>,
): Promise<string[]> {
  const wrong: string[] = []
  for (const operation of chosen) {
    const text = await check(operation)
    if (text !== undefined) wrong.push(`${operation.id} (${operation.guard.describe}): ${text}`)
  }
  return wrong
}

const ofKind = (...kinds: Operation['guard']['kind'][]): Operation[] =>
  operations.filter(({ guard }) => kinds.includes(guard.kind))
const inRepo = (): Operation[] => ofKind('repo').filter(({ path }) => path.includes('{owner}/{repo}'))
const show = ({ status, body }: Answer): string => `${status} ${body.slice(0, 120)}`

/** The difference between two answers, byte for byte; undefined when they are equal. */
function difference(hidden: Answer, missing: Answer): string | undefined {
  if (isDeepStrictEqual(hidden, missing)) return undefined
  return `hidden ${show(hidden)} ${JSON.stringify(hidden.headers)}, missing ${show(missing)} ${JSON.stringify(missing.headers)}`
}

/** An answer to HEAD has no body to say anything. */
const says = ({ method }: Operation, { body }: Answer, text: string): boolean =>
  method === 'HEAD' || body.includes(text)

/** Rows by table: a refused request adds none. */
async function countRows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of [
    'user',
    'repo',
    'event',
    'job',
    'access_token',
    'star',
    'watch',
    'follow',
    'collaboration',
    'team',
    'org_member',
    'public_key',
    'branch',
    'push',
  ] as const)
    counts[table] = (await rows(server, table)).length
  // The record of who signed in is written a moment later, whatever was refused.
  for (const kind of ['user.signed_in', 'user.sudo_used'])
    counts['event']! -= (await rows(server, 'event', { kind })).length
  return counts
}

async function leavingNothing(refused: () => Promise<string[]>): Promise<void> {
  const before = await countRows()
  expect(await refused()).toEqual([])
  expect(await countRows()).toEqual(before)
}

describe('permission matrix', () => {
  it('covers every operation', () => {
    expect(operations.length).toBeGreaterThan(150)
    expect(inRepo().length).toBeGreaterThan(60)
    for (const operation of operations) expect(operation.guard.describe, operation.id).not.toBe('')
  })

  const hiddenRepos: [string, string, Place][] = ['anonymous', 'outsider', 'restricted', 'alice-one-repo'].flatMap(
    (as): [string, string, Place][] => [
      ['a private repository', as, { owner: 'alice', repo: 'secret' }],
      ['the old name of a private repository', as, { owner: 'alice', repo: 'secret-before' }],
      ...(as === 'alice-one-repo'
        ? []
        : ([
            ['a repository of a private user', as, { owner: 'hermit', repo: 'cave' }],
            ['a repository of a private organization', as, { owner: 'cabal', repo: 'plans' }],
          ] as [string, string, Place][])),
      ...(as === 'anonymous'
        ? ([['a repository of a user for members', as, { owner: 'homebody', repo: 'attic' }]] as [
            string,
            string,
            Place,
          ][])
        : []),
    ],
  )
  it.each(hiddenRepos)('hides %s from %s: it looks missing', (_, as, place) =>
    leavingNothing(() =>
      walk(inRepo(), async (operation) => {
        const hidden = await call(operation, as, place)
        return (
          difference(hidden, await callMissing(operation, as, 'never-made')) ??
          difference(hidden, await callMissing(operation, as, 'alice')) ??
          (hidden.status === 404 || hidden.status === 401 ? undefined : show(hidden))
        )
      }),
    ),
  )

  it.each(['anonymous', 'outsider', 'restricted'])('hides a private organization from %s', (as) =>
    leavingNothing(() =>
      walk(
        ofKind('org').filter(({ path }) => path.includes('{org}')),
        async (operation) => {
          const hidden = await call(operation, as, { org: 'cabal' })
          if (operation.guard.describe === 'callers that may see the rows')
            return show(hidden) === '200 []\n' ? undefined : show(hidden)
          const missing = await call(operation, as, { org: 'never-made' })
          // NOTE: the older path names the organization that was asked for in its refusal.
          if (hidden.status !== missing.status || hidden.body !== missing.body.replace('never-made', 'cabal'))
            return `hidden ${show(hidden)}, missing ${show(missing)}`
          return hidden.status === 404 || hidden.status === 401 || hidden.status === 422 ? undefined : show(hidden)
        },
      ),
    ),
  )

  it.each(['anonymous', 'outsider', 'restricted'])('hides a private user from %s', (as) =>
    leavingNothing(() =>
      walk(
        ofKind('user').filter(({ path }) => path.includes('{username}')),
        async (operation) => {
          const hidden = await call(operation, as, { username: 'hermit' })
          return difference(hidden, await call(operation, as, { username: 'never-made' }))
        },
      ),
    ),
  )

  it('asks anonymous callers to sign in where it needs a user', () =>
    leavingNothing(() =>
      walk(
        operations.filter(({ guard }) => guard.needsUser),
        async (operation) => {
          const answer = await call(operation, 'anonymous')
          const looksMissing =
            answer.status === 404 && (operation.guard.hideBeforeAuth === true || operation.guard.kind !== 'repo')
          return answer.status === 401 || looksMissing ? undefined : show(answer)
        },
      ),
    ))

  it('refuses a token without the scope, before it looks anything up', () =>
    leavingNothing(() =>
      walk(
        operations.filter(({ scopes }) => scopes.length > 0 && !scopes.includes('package')),
        async (operation) => {
          const answer = await call(operation, 'alice-mute')
          return answer.status === 403 && says(operation, answer, 'required scope') ? undefined : show(answer)
        },
      ),
    ))

  it('refuses an account that may not sign in, whatever it asks for', () =>
    leavingNothing(() =>
      walk(operations, async (operation) => {
        const answer = await call(operation, 'suspended')
        return answer.status === 403 && says(operation, answer, 'prohibited') ? undefined : show(answer)
      }),
    ))

  it('refuses a public-only token with the message for the kind of object', () =>
    leavingNothing(async () => {
      const outside = (words: (operation: Operation) => string, place: Place) => async (operation: Operation) => {
        const answer = await call(operation, 'alice-publicly', place)
        return answer.status === 403 && says(operation, answer, `token scope is limited to public ${words(operation)}`)
          ? undefined
          : show(answer)
      }
      const named: Partial<Record<string, string>> = { issue: 'issues', notification: 'notifications' }
      const about = ({ scopes }: Operation): string => named[scopes[0]!] ?? 'repos'
      // A disabled feature is missing for all callers.
      const isOff = ({ path }: Operation): boolean => /\/(?:flags|quota)(?:\/|$)/.test(path)
      return [
        ...(await walk(
          inRepo().filter((operation) => !isOff(operation)),
          outside(about, { owner: 'alice', repo: 'secret' }),
        )),
        ...(await walk(
          ofKind('org').filter((operation) => operation.path.includes('{org}') && !isOff(operation)),
          outside(() => 'orgs', { org: 'cabal', username: 'alice' }),
        )),
        ...(await walk(
          ofKind('user').filter(({ path }) => path.includes('{username}')),
          outside(({ path }) => (path.includes('{org}') ? 'orgs' : 'users'), { username: 'shy' }),
        )),
      ]
    }))

  it('keeps administration to site administrators', () =>
    leavingNothing(() =>
      walk(
        operations.filter(({ path }) => path.startsWith('/admin/')),
        async (operation) => {
          const answer = await call(operation, 'alice')
          return answer.status === 403 || answer.status === 404 ? undefined : show(answer)
        },
      ),
    ))

  it("keeps a user's own things from others", () =>
    leavingNothing(() =>
      walk(ofKind('self-or-admin'), async (operation) => {
        const answer = await call(operation, 'outsider', { username: 'alice' })
        return answer.status === 403 || answer.status === 401 ? undefined : show(answer)
      }),
    ))

  it('keeps what needs more than reading from readers, and administration from writers', () =>
    leavingNothing(async () => {
      const above = (roles: readonly string[]): Operation[] =>
        inRepo().filter(({ guard }) => roles.some((role) => guard.describe.startsWith(role)))
      const refused = (as: string) => async (operation: Operation) => {
        const answer = await call(operation, as)
        return answer.status === 403 || answer.status === 404 ? undefined : `${as}: ${show(answer)}`
      }
      expect(above(['write', 'admin', 'owner']).length).toBeGreaterThan(20)
      return [
        ...(await walk(above(['write', 'admin', 'owner']), refused('reader'))),
        ...(await walk(above(['admin', 'owner']), refused('writer'))),
      ]
    }))

  it('answers 423 for what an archived repository refuses, to its owner too', () =>
    leavingNothing(async () => {
      const guarded = inRepo().filter(({ guard }) => guard.describe.endsWith('not archived'))
      expect(guarded.length).toBeGreaterThan(5)
      return walk(guarded, async (operation) => {
        const answer = await call(operation, 'alice', { owner: 'alice', repo: 'old' })
        return answer.status === 423 ? undefined : show(answer)
      })
    }))

  it('answers a broken body of an admitted caller with 4xx, and no request at all with 5xx', async () => {
    const withBody = operations.filter(({ body, bodyKind }) => body !== undefined && bodyKind === 'json')
    expect(
      await walk(withBody, async (operation) => {
        const answer = await call(operation, 'root')
        return answer.status >= 400 && answer.status < 500 ? undefined : show(answer)
      }),
    ).toEqual([])
    expect(
      await walk(
        operations.filter(({ method }) => method === 'GET'),
        async (operation) => {
          const worst = await Promise.all([
            call(operation, 'alice'),
            call(operation, 'root'),
            call(operation, 'alice', { owner: 'alice', repo: 'old' }),
          ])
          return worst.map(({ status, body }) => (status >= 500 ? `${status} ${body}` : undefined)).find(Boolean)
        },
      ),
    ).toEqual([])
  })
})
