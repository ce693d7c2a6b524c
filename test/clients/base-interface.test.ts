import { generateKeyPairSync } from 'node:crypto'
import { generateKey } from 'openpgp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client, Response } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { startUpstream, type Upstream } from '../migration/upstream.ts'

/**
 * Every row of the base interface, named as the row stands there, once for each status it lists (500s are for faults of
 * the server).
 */

// eslint-disable-next-line typescript/no-explicit-any -- bodies are held to the shapes below
type Answer = Response<any>
type Shape = Readonly<Record<string, 'string' | 'boolean' | 'integer' | 'timestamp' | 'object' | 'array' | 'anything'>>

const USER: Shape = { id: 'integer', login: 'string', full_name: 'string', email: 'string', avatar_url: 'string' }
const PERMISSION: Shape = { admin: 'boolean', pull: 'boolean', push: 'boolean' }
const REPOSITORY: Shape = {
  id: 'integer',
  owner: 'object',
  name: 'string',
  full_name: 'string',
  description: 'string',
  empty: 'boolean',
  private: 'boolean',
  fork: 'boolean',
  parent: 'anything',
  mirror: 'boolean',
  size: 'integer',
  html_url: 'string',
  ssh_url: 'string',
  clone_url: 'string',
  website: 'string',
  stars_count: 'integer',
  forks_count: 'integer',
  watchers_count: 'integer',
  open_issues_count: 'integer',
  default_branch: 'string',
  created_at: 'timestamp',
  updated_at: 'timestamp',
  permissions: 'object',
}
const GPG_KEY: Shape = {
  id: 'integer',
  key_id: 'string',
  primary_key_id: 'string',
  public_key: 'string',
  emails: 'array',
  subkeys: 'array',
  can_sign: 'boolean',
  can_encrypt_comms: 'boolean',
  can_encrypt_storage: 'boolean',
  can_certify: 'boolean',
  created_at: 'timestamp',
  expires_at: 'timestamp',
}
const PUBLIC_KEY: Shape = { id: 'integer', key: 'string', title: 'string', url: 'string', created_at: 'timestamp' }
const ACCESS_TOKEN: Shape = { name: 'string', sha1: 'string' }
const WATCH_INFO: Shape = {
  subscribed: 'boolean',
  ignored: 'boolean',
  reason: 'anything',
  created_at: 'timestamp',
  url: 'string',
  repository_url: 'string',
}
const ERROR: Shape = { message: 'string', url: 'string' }

const FITS: Readonly<Record<Shape[string], (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  timestamp: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  anything: (value) => value !== undefined,
}

/** Checks of an answer's body. */
type Check = (answer: Answer) => void

const one =
  (shape: Shape): Check =>
  ({ json }) => {
    for (const [member, type] of Object.entries(shape))
      expect(FITS[type](json[member]), `${member} is ${JSON.stringify(json[member])}`).toBe(true)
  }
const repository: Check = (answer) => {
  one(REPOSITORY)(answer)
  one(USER)({ ...answer, json: answer.json.owner })
  one(PERMISSION)({ ...answer, json: answer.json.permissions })
}
const listOf =
  (check: Check): Check =>
  (answer) => {
    expect(Array.isArray(answer.json)).toBe(true)
    expect(answer.json.length).toBeGreaterThan(0)
    for (const item of answer.json) check({ ...answer, json: item })
  }
const empty: Check = ({ text, headers }) => expect([text, headers.get('content-type')]).toEqual(['', null])
const html: Check = ({ text, headers }) => {
  expect(headers.get('content-type')).toMatch(/^text\/html/)
  expect(text).toContain('<h1')
}
const notFound: Check = ({ text }) => expect(text.trim()).toBe('{}')
const error = one(ERROR)

let server: TestServer
let upstream: Upstream
let ann: Person
let bob: Person
let me: Client
let other: Client
let count = 0
const ids = { key: 0, gpgKey: 0, foreignKey: 0, foreignGpgKey: 0 }

beforeAll(async () => {
  server = await startServer()
  upstream = await startUpstream()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  me = ann.client
  other = bob.client
  await server.world.org('guild', { owner: ann })
  await server.world.repo({ owner: ann, name: 'one', autoInit: true })
  await server.world.repo({ owner: bob, name: 'theirs', autoInit: true })
  await upstream.create('source')
  expect(
    (await me.post('/repos/migrate', { clone_addr: `${upstream.url}/source.git`, repo_name: 'mirror', mirror: true }))
      .status,
  ).toBe(201)
  expect((await me.post('/users/ann/tokens', { name: 'ci', scopes: ['all'] })).status).toBe(201)
  ids.key = (await me.post('/user/keys', newKey())).json.id
  ids.foreignKey = (await other.post('/user/keys', newKey())).json.id
  ids.gpgKey = (await me.post('/user/gpg_keys', { armored_public_key: await makeGpgKey(ann) })).json.id
  ids.foreignGpgKey = (await other.post('/user/gpg_keys', { armored_public_key: await makeGpgKey(bob) })).json.id
  for (const path of ['/user/following/bob', '/user/starred/bob/theirs']) expect((await me.put(path)).status).toBe(204)
  expect((await other.put('/user/following/ann')).status).toBe(204)
}, 60_000)
afterAll(async () => {
  await server.close()
  await upstream.close()
})

/** The line of a new Ed25519 key as OpenSSH writes it. */
function makeSshKey(comment: string): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.from(x!, 'base64url'))]).toString('base64')} ${comment}`
}

/** An armored public key of a user. */
async function makeGpgKey({ name, user }: Person): Promise<string> {
  const { publicKey } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [{ name, email: user.email }],
  })
  return publicKey
}

const newKey = (): { title: string; key: string } => ({ title: `key ${++count}`, key: makeSshKey(`${count}@test`) })
const follow = (): Promise<Answer> => me.put('/user/following/bob')
const star = (): Promise<Answer> => me.put('/user/starred/bob/theirs')

/**
 * Method and path as the base interface writes them (behaviour/base-interface#endpoints-of-the-base-interface), the
 * status, the call, what its body must be.
 */
type Row = readonly [row: string, status: number, call: () => Promise<Answer>, check: Check]

const ROWS: readonly Row[] = [
  [
    'POST /markdown',
    200,
    () => server.anonymous.post('/markdown', { Text: '# Title', Mode: 'gfm', Context: '/ann/one', Wiki: false }),
    html,
  ],
  ['POST /markdown', 422, () => server.anonymous.post('/markdown', { Text: 5 }), error],
  ['POST /markdown/raw', 200, () => server.anonymous.post('/markdown/raw', '# Title'), html],
  ['POST /markdown/raw', 422, () => server.anonymous.post('/markdown/raw', '<div>'.repeat(200_000)), error],
  [
    'POST /org/{org}/repos',
    201,
    () =>
      me.post('/org/guild/repos', {
        name: 'made',
        description: 'What it is',
        private: true,
        auto_init: true,
        gitignores: 'Go',
        license: 'MIT',
        readme: 'Default',
      }),
    repository,
  ],
  ['POST /org/{org}/repos', 403, () => other.post('/org/guild/repos', { name: 'no' }), error],
  ['POST /org/{org}/repos', 422, () => me.post('/org/guild/repos', { name: 'no spaces' }), error],
  [
    'GET /repos/search',
    200,
    () => server.anonymous.get(`/repos/search?q=one&uid=${ann.user.id}&limit=1`),
    (answer) => {
      expect(answer.json.ok).toBe(true)
      listOf(repository)({ ...answer, json: answer.json.data })
    },
  ],
  ['POST /repos/{username}/{reponame}/mirror-sync', 200, () => me.post('/repos/ann/mirror/mirror-sync'), empty],
  ['POST /repos/{username}/{reponame}/mirror-sync', 403, () => other.post('/repos/ann/mirror/mirror-sync'), error],
  ['GET /repos/{username}/{reponame}/subscription', 200, () => me.get('/repos/ann/one/subscription'), one(WATCH_INFO)],
  ['GET /repos/{username}/{reponame}/subscription', 404, () => other.get('/repos/ann/one/subscription'), notFound],
  [
    'PUT /repos/{username}/{reponame}/subscription',
    200,
    () => me.put('/repos/bob/theirs/subscription'),
    one(WATCH_INFO),
  ],
  ['DELETE /repos/{username}/{reponame}/subscription', 204, () => me.delete('/repos/bob/theirs/subscription'), empty],
  ['GET /user', 200, () => me.get('/user'), one(USER)],
  ['GET /user/followers', 200, () => me.get('/user/followers'), listOf(one(USER))],
  ['GET /user/following', 200, () => me.get('/user/following'), listOf(one(USER))],
  ['GET /user/following/{username}', 204, () => me.get('/user/following/bob'), empty],
  ['GET /user/following/{username}', 404, () => me.get('/user/following/guild'), notFound],
  ['PUT /user/following/{username}', 204, follow, empty],
  ['DELETE /user/following/{username}', 204, () => me.delete('/user/following/bob'), empty],
  ['GET /user/gpg_keys', 200, () => me.get('/user/gpg_keys'), listOf(one(GPG_KEY))],
  [
    'POST /user/gpg_keys',
    201,
    async () => me.post('/user/gpg_keys', { armored_public_key: await makeGpgKey(ann) }),
    one(GPG_KEY),
  ],
  ['POST /user/gpg_keys', 422, () => me.post('/user/gpg_keys', { armored_public_key: 'no key' }), error],
  ['GET /user/gpg_keys/{id}', 200, () => me.get(`/user/gpg_keys/${ids.gpgKey}`), one(GPG_KEY)],
  ['GET /user/gpg_keys/{id}', 404, () => me.get('/user/gpg_keys/9999'), notFound],
  ['DELETE /user/gpg_keys/{id}', 403, () => me.delete(`/user/gpg_keys/${ids.foreignGpgKey}`), error],
  ['GET /user/keys', 200, () => me.get('/user/keys'), listOf(one(PUBLIC_KEY))],
  ['POST /user/keys', 201, () => me.post('/user/keys', newKey()), one(PUBLIC_KEY)],
  ['POST /user/keys', 422, () => me.post('/user/keys', { title: 'bad', key: 'no key' }), error],
  ['GET /user/keys/{id}', 200, () => me.get(`/user/keys/${ids.key}`), one(PUBLIC_KEY)],
  ['GET /user/keys/{id}', 404, () => me.get('/user/keys/9999'), notFound],
  ['DELETE /user/keys/{id}', 403, () => me.delete(`/user/keys/${ids.foreignKey}`), error],
  ['GET /user/repos', 200, () => me.get('/user/repos'), listOf(repository)],
  ['GET /user/starred', 200, () => me.get('/user/starred'), listOf(repository)],
  ['GET /user/starred/{username}/{reponame}', 204, () => me.get('/user/starred/bob/theirs'), empty],
  ['GET /user/starred/{username}/{reponame}', 404, () => me.get('/user/starred/ann/one'), notFound],
  ['PUT /user/starred/{username}/{reponame}', 204, star, empty],
  ['GET /user/subscriptions', 200, () => me.get('/user/subscriptions'), listOf(repository)],
  ['GET /users/:username/followers', 200, () => other.get('/users/ann/followers'), listOf(one(USER))],
  ['GET /users/search', 200, () => server.anonymous.get('/users/search'), listOf(one(USER))],
  ['GET /users/{username}', 200, () => server.anonymous.get('/users/ann'), one(USER)],
  ['GET /users/{username}', 404, () => server.anonymous.get('/users/nobody'), notFound],
  ['GET /users/{username}/following', 200, () => me.get('/users/bob/following'), listOf(one(USER))],
  ['GET /users/{username}/following/:target', 204, () => me.get('/users/bob/following/ann'), empty],
  ['GET /users/{username}/following/:target', 404, () => me.get('/users/bob/following/guild'), notFound],
  ['GET /users/{username}/gpg_keys', 200, () => other.get('/users/ann/gpg_keys'), listOf(one(GPG_KEY))],
  ['GET /users/{username}/keys', 200, () => other.get('/users/ann/keys'), listOf(one(PUBLIC_KEY))],
  ['GET /users/{username}/repos', 200, () => server.anonymous.get('/users/ann/repos'), listOf(repository)],
  ['GET /users/{username}/starred', 200, () => other.get('/users/ann/starred'), listOf(repository)],
  ['GET /users/{username}/subscriptions', 200, () => other.get('/users/ann/subscriptions'), listOf(repository)],
  ['GET /users/{username}/tokens', 200, () => me.get('/users/ann/tokens'), listOf(one(ACCESS_TOKEN))],
  ['GET /version', 200, () => server.anonymous.get('/version'), one({ Version: 'string' })],
  ['DELETE /user/gpg_keys/{id}', 204, () => me.delete(`/user/gpg_keys/${ids.gpgKey}`), empty],
  ['DELETE /user/keys/{id}', 204, () => me.delete(`/user/keys/${ids.key}`), empty],
  ['DELETE /user/starred/{username}/{reponame}', 204, () => me.delete('/user/starred/bob/theirs'), empty],
]

describe('the base interface', () => {
  it.each(ROWS)('%s → %i', async (_, status, call, check) => {
    const answer = await call()
    expect(answer.status, answer.text).toBe(status)
    check(answer)
  })
})

/** What a later read answers after a rename or transfer (behaviour/base-interface#states-and-transitions). */
describe('the states of the base interface', () => {
  const status = async (call: Promise<Answer>): Promise<number> => (await call).status
  const MOVES = [
    ['not subscribed to repository', 'PUT /repos/bob/theirs/subscription', 200, 200],
    ['subscribed to repository', 'DELETE /repos/bob/theirs/subscription', 204, 404],
    ['not following user', 'PUT /user/following/bob', 204, 204],
    ['following user', 'DELETE /user/following/bob', 204, 404],
    ['not starred', 'PUT /user/starred/bob/theirs', 204, 204],
    ['starred', 'DELETE /user/starred/bob/theirs', 204, 404],
  ] as const

  it.each(MOVES)('%s, moved by %s → %i', async (_, move, moved, after) => {
    const [method, path] = move.split(' ') as ['PUT' | 'DELETE', string]
    expect(await status(method === 'PUT' ? me.put(path) : me.delete(path))).toBe(moved)
    expect(await status(me.get(path))).toBe(after)
  })
})
