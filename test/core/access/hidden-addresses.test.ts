import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { MEASURED } from '../../harness/measured.ts'

/**
 * The permission matrix walks the API; these are the other addresses of a repository. Answers for hidden and
 * missing repositories must be the same there too, in status, body and headers.
 */

let server: TestServer
const credentials: Record<string, Record<string, string>> = {}

beforeAll(async () => {
  server = await startServer()
  const { world } = server
  const [alice, hermit, homebody, mallory] = [
    await world.user('alice'),
    await world.user('hermit', { visibility: 'private' }),
    await world.user('homebody', { visibility: 'limited' }),
    await world.user('mallory'),
  ]
  const { org } = await world.org('cabal', { visibility: 'private', owner: alice })
  const made: [Person | typeof org, Person, boolean][] = [
    [alice, alice, true],
    [hermit, hermit, false],
    [homebody, homebody, false],
    [org, alice, false],
  ]
  for (const [owner, by, isPrivate] of made) {
    const { fullName } = await world.repo({
      owner,
      by,
      name: 'before',
      autoInit: true,
      isPrivate,
      defaultBranch: 'main',
    })
    await fill(by, `/repos/${fullName}`)
    expect((await by.client.patch(`/repos/${fullName}`, { name: 'thing' })).status).toBe(200)
  }
  credentials['anonymous'] = {}
  credentials['a user without access'] = { authorization: `token ${await mallory.token('all')}` }
  const limited = await alice.client.post('/users/alice/tokens', {
    name: 'other-repo',
    scopes: ['all'],
    repositories: [(await world.repo({ owner: alice, name: 'open' })).fullName],
  })
  credentials['a token for another repository'] = { authorization: `token ${limited.json.sha1}` }
}, 60_000)
afterAll(() => server.close())

async function fill(by: Person, path: string): Promise<void> {
  const release = await by.client.post(`${path}/releases`, { tag_name: 'v1' })
  for (const answer of [
    await by.client.post(`${path}/releases/${release.json.id}/assets?name=a.txt`, 'bytes', {
      'content-type': 'application/octet-stream',
    }),
    await by.client.post(`${path}/wiki/new`, { title: 'Home', content_base64: 'eA==' }),
  ])
    expect(answer.status).toBe(201)
}

interface Address {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string
}
const get = (path: string, headers: Record<string, string> = {}): Address => ({ method: 'GET', path, headers })
const LFS = { accept: 'application/vnd.git-lfs+json', 'content-type': 'application/vnd.git-lfs+json' }
const OID = 'a'.repeat(64)

/** Below the address of the repository. */
const ADDRESSES: readonly Address[] = [
  ...[
    '/archive/main.zip',
    '/archive/v1.tar.gz',
    '/releases/download/v1/a.txt',
    '/raw/branch/main/README.md',
    '/raw/README.md',
    '/media/branch/main/README.md',
    '?go-get=1',
    '',
    '/src/branch/main',
    '/src/branch/main/README.md',
    '/commits/branch/main',
    '/commit/0123456789',
    '/branches',
    '/tags',
    '/releases',
    '/releases/tag/v1',
    '/wiki/Home',
  ].map((path) => get(path)),
  ...['.git', '', '.wiki.git'].flatMap((suffix) => [
    get(`${suffix}/info/refs?service=git-upload-pack`),
    get(`${suffix}/info/refs?service=git-upload-pack`, { 'git-protocol': 'version=2' }),
    get(`${suffix}/info/refs?service=git-receive-pack`),
    get(`${suffix}/info/refs`),
    get(`${suffix}/HEAD`),
    get(`${suffix}/objects/info/packs`),
    {
      method: 'POST',
      path: `${suffix}/git-upload-pack`,
      headers: { 'content-type': 'application/x-git-upload-pack-request' },
      body: '0000',
    },
    {
      method: 'POST',
      path: `${suffix}/git-receive-pack`,
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
      body: '0000',
    },
    {
      method: 'POST',
      path: `${suffix}/git-upload-archive`,
      headers: { 'content-type': 'application/x-git-upload-archive-request' },
      body: '0000',
    },
  ]),
  {
    method: 'POST',
    path: '.git/info/lfs/objects/batch',
    headers: LFS,
    body: JSON.stringify({ operation: 'download', objects: [{ oid: OID, size: 1 }] }),
  },
  {
    method: 'POST',
    path: '.git/info/lfs/objects/batch',
    headers: LFS,
    body: JSON.stringify({ operation: 'upload', objects: [{ oid: OID, size: 1 }] }),
  },
  { method: 'POST', path: '.git/info/lfs/locks', headers: LFS, body: '{"path":"a"}' },
  { method: 'POST', path: '.git/info/lfs/verify', headers: LFS, body: `{"oid":"${OID}","size":1}` },
  get('.git/info/lfs/locks', LFS),
  get(`.git/info/lfs/objects/${OID}`),
  { method: 'PUT', path: `.git/info/lfs/objects/${OID}/1`, body: 'x' },
]

async function send(as: string, place: string, { method, path, headers, body }: Address) {
  const answer = await fetch(`${server.url}/${place}${path}`, {
    method,
    headers: { ...headers, ...credentials[as] },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const own = (text: string): string =>
    [place, place.toLowerCase(), encodeURIComponent(place)].reduce((made, name) => made.replaceAll(name, 'PLACE'), text)
  return {
    status: answer.status,
    text: own(await answer.text()),
    headers: Object.fromEntries(
      [...answer.headers]
        .filter(([name]) => name !== 'date' && name !== 'x-request-id' && name !== 'content-length')
        .map(([name, value]) => [name, own(value)]),
    ),
  }
}

const hidden: [string, string, string][] = [
  'anonymous',
  'a user without access',
  'a token for another repository',
].flatMap((as): [string, string, string][] => [
  ['a private repository', as, 'alice/thing'],
  ['the old name of a private repository', as, 'alice/before'],
  ...(as === 'a token for another repository'
    ? []
    : ([
        ['a repository of a private user', as, 'hermit/thing'],
        ['a repository of a private organization', as, 'cabal/thing'],
      ] as [string, string, string][])),
  ...(as === 'anonymous'
    ? ([['a repository of a user for members', as, 'homebody/thing']] as [string, string, string][])
    : []),
])

describe('the addresses of a repository outside of the API', () => {
  it.each(hidden)('hide %s from %s: it looks missing', async (_, as, place) => {
    const owner = place.split('/')[0]!
    const missing = owner === 'alice' ? 'alice/never-made' : 'never-was/thing'
    const wrong: string[] = []
    for (const address of ADDRESSES) {
      const [there, none] = [await send(as, place, address), await send(as, missing, address)]
      if (!isDeepStrictEqual(there, none))
        wrong.push(`${address.method} ${address.path}: ${JSON.stringify(there)}, missing ${JSON.stringify(none)}`)
    }
    expect(wrong).toEqual([])
  })

  it('take the same time for hidden and missing repositories', MEASURED, async () => {
    const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
    for (const path of [
      '/api/v1/repos/NAME',
      '/NAME.git/info/refs?service=git-upload-pack',
      '/NAME/archive/main.zip',
    ]) {
      const spent: Record<string, number[]> = { 'alice/thing': [], 'alice/never-made': [] }
      for (let round = 0; round < 40; round++) {
        for (const [name, times] of Object.entries(spent)) {
          const start = performance.now()
          await (
            await fetch(server.url + path.replace('NAME', name), { headers: credentials['a user without access']! })
          ).arrayBuffer()
          times.push(performance.now() - start)
        }
      }
      const [hiddenOne, missingOne] = Object.values(spent).map(median) as [number, number]
      expect(hiddenOne, path).toBeLessThan(missingOne * 3)
      expect(missingOne, path).toBeLessThan(hiddenOne * 3)
    }
  })

  it('are open to the owner', async () => {
    const alice = { authorization: `Basic ${Buffer.from('alice:Corr3ct-horse!').toString('base64')}` }
    for (const path of [
      '/archive/main.zip',
      '/releases/download/v1/a.txt',
      '/raw/branch/main/README.md',
      '',
      '/src/branch/main/README.md',
      '/releases/tag/v1',
      '/wiki/Home',
      '.git/info/refs?service=git-upload-pack',
      '.wiki.git/info/refs?service=git-upload-pack',
    ])
      expect((await fetch(`${server.url}/alice/thing${path}`, { headers: alice })).status, path).toBe(200)
  })
})
