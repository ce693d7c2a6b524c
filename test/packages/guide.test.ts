import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addPackageVersion } from '../harness/packages.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const GUIDE = join(import.meta.dirname, '../../docs/guide/packages.md')

/** What clients request first below the addresses that they are given. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  'alpine/v3.20/main': '/x86_64/APKINDEX.tar.gz',
  'arch/extra/$arch': '/ann.db',
  cargo: '/config.json',
  chef: '/api/v1/universe',
  'chef/api/v1': '/universe',
  composer: '/packages.json',
  conan: '/v1/ping',
  'conda/stable': '/noarch/repodata.json',
  cran: '/src/contrib/PACKAGES',
  debian: '/dists/bookworm/InRelease',
  go: '/example.com/mod/@v/list',
  helm: '/index.yaml',
  maven: '/org/acme/tool/maven-metadata.xml',
  npm: '/-/ping',
  nuget: '/index.json',
  'nuget/symbols': `/tool.pdb/${'0'.repeat(32)}ffffffff/tool.pdb`,
  pub: '/api/packages/tool',
  pypi: '/simple/',
  rubygems: '/versions',
  swift: '/mona/LinkedList',
}

interface GuideRequest {
  readonly method: string
  /** Below the host. */
  readonly path: string
  readonly body: string | undefined
}

/** The requests of the lines of the guide, in their order. */
function requestsOf(guide: string): GuideRequest[] {
  return guide
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/https:\/\/git\.example\.com(\/[^\s"'`<>,)}\]]*)/g)].flatMap(([, path = '']) =>
        path.includes('{') || path.includes('…') ? [] : { method: methodOf(line), path, body: bodyOf(line) },
      ),
    )
}

function methodOf(line: string): string {
  const named = /--request (\w+)/.exec(line)?.[1]
  if (named !== undefined) return named
  if (line.includes('--upload-file')) return 'PUT'
  if (/^ *unlock_address/.test(line)) return 'DELETE'
  return /--(?:data|form)|^ *lock_address/.test(line) ? 'POST' : 'GET'
}

const bodyOf = (line: string): string | undefined => /--data '([^']*)'/.exec(line)?.[1]

/** Whether the answer is that of an address that no operation or registry has. */
const isNoRoute = ({ status, headers }: Response): boolean =>
  status === 404 && /^(?:path_)?not_found$/.test(headers.get('x-ingot-reason') ?? '')

let server: TestServer
let ann: Person
beforeAll(async () => {
  server = await startServer({ on: 'sqlite', settings: { 'packages.upstream_hosts': '*' } })
  ann = await server.world.user('ann')
})
afterAll(() => server.close())

it('every address of the guide about packages is one that the server has', async () => {
  const token = await ann.token('all')
  const requests = requestsOf(readFileSync(GUIDE, 'utf8'))
  expect(requests.length).toBeGreaterThan(50)
  const types = new Set<string>()
  const wrong: string[] = []
  for (const { method, path, body } of requests) {
    const [, type = '', rest = ''] = /^\/api\/packages\/ann\/([^/?.]+)(.*)$/.exec(path) ?? []
    types.add(type)
    const below = `${type}${rest}`.replace(/\/$/, '')
    const target = method === 'GET' && below in BEGINNINGS ? path.replace(/\/$/, '') + BEGINNINGS[below] : path
    const answer = await fetch(`${server.url}${target}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: body ?? 'x' }),
    })
    await answer.text()
    const { status } = answer
    if (status >= 500 || status === 405 || isNoRoute(answer)) wrong.push(`${method} ${target} ${status}`)
  }
  expect(wrong).toEqual([])
  expect([...types].filter(Boolean).toSorted()).toEqual(
    server.app.packageTypes.filter((one) => one !== 'container').toSorted(),
  )
}, 60_000)

it('the test of the guide finds an address that the server does not have', async () => {
  const headers = { authorization: `Bearer ${await ann.token('all')}` }
  for (const path of ['npm2/', 'debian/repository.kex', 'npm/-/none'])
    expect([path, isNoRoute(await fetch(`${server.url}/api/packages/ann/${path}`, { headers }))]).toEqual([path, true])
})

it('no registry is there if they are switched off, and the API lists what is stored', async () => {
  const off = await startServer({ settings: { 'packages.enabled': 'false' } })
  try {
    const owner = await off.world.user('ann')
    await addPackageVersion(off.app, { ownerId: owner.user.id, creatorId: owner.user.id, name: 'kept', version: '1' })
    const headers = { authorization: `Bearer ${await owner.token('all')}` }
    for (const path of [
      'v2/',
      'v2/token',
      'v2/_catalog',
      ...off.app.packageTypes.map((one) => `api/packages/ann/${one}/x`),
    ])
      expect([path, (await fetch(`${off.url}/${path}`, { headers })).status]).toEqual([path, 404])
    expect((await owner.client.get('/packages/ann')).json).toMatchObject([{ name: 'kept', version: '1' }])
    expect((await owner.client.delete('/packages/ann/npm/kept')).status).toBe(204)
  } finally {
    await off.close()
  }
})
