import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { type FakeUpstream, startUpstream } from './upstreams.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const tarball = Buffer.from('not really a tarball')
const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`

describeOnBoth('the upstream of an npm registry', (kind) => {
  let server: TestServer
  let upstream: FakeUpstream
  let [root, bob] = [] as unknown as Person[]
  let now = Date.parse('2027-01-01T00:00:00Z')
  let count = 0
  let ann: Person
  let token: string

  beforeAll(async () => {
    const settings = { 'packages.upstream_hosts': '127.0.0.1/32', 'quota.enabled': 'true' }
    server = await startServer({ on: kind, clock: { now: () => now }, settings })
    upstream = await startUpstream()
    root = await server.world.admin()
    bob = await server.world.user('bob')
  })
  afterAll(async () => {
    await server.close()
    await upstream.close()
  })
  beforeEach(async () => {
    ann = await server.world.user(`ann${count++}`)
    token = await ann.token('write:package')
    upstream.asked.splice(0)
    upstream.headers.splice(0)
    serve()
  })

  const path = (type = 'npm', owner = ann.name): string => `/packages/${owner}/-/upstreams/${type}`
  async function save(more: object = {}): Promise<void> {
    const { status, json } = await ann.client.put(path(), { url: `${upstream.url}/npm`, ...more })
    expect([status, json]).toMatchObject([200, { type: 'npm' }])
  }
  const read = (name: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/api/packages/${ann.name}/npm/${name}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
  const statusOf = async (name: string): Promise<number> => (await read(name)).status
  const file = (name: string, version = '1.0.0'): string => `${name}/-/${name}-${version}.tgz`

  interface Fake {
    readonly versions?: Readonly<Record<string, string>>
    readonly dist?: object
    readonly etag?: string
    readonly pad?: number
    readonly bytes?: Buffer
  }
  const packument = (name: string, { versions = { '1.0.0': '2026-01-01' }, dist, pad = 0 }: Fake = {}) => {
    const list = Object.keys(versions).map((version) => {
      const tarball = `${upstream.url}/files/${name}-${version}.tgz`
      return [version, { name, version, pad: 'x'.repeat(pad), dist: { tarball, integrity, ...dist } }]
    })
    return { name, 'dist-tags': { latest: list.at(-1)![0] }, time: versions, versions: Object.fromEntries(list) }
  }
  /** Every package, with these versions. */
  function serve(fake: Fake = {}): void {
    upstream.answer(({ url = '', headers }, response) => {
      if (url.startsWith('/files/')) return response.end(fake.bytes ?? tarball)
      if (fake.etag !== undefined && headers['if-none-match'] === fake.etag) return response.writeHead(304).end()
      if (fake.etag !== undefined) response.setHeader('etag', fake.etag)
      return response.end(JSON.stringify(packument(decodeURIComponent(url.slice('/npm/'.length)), fake)))
    })
  }

  it('is set by who administers the owner, and shown without its credentials', async () => {
    const url = 'https://registry.example.test/npm'
    const sent = { url: `${url}/`, username: 'me', password: 'S3CRET', allow: ['@team/*'], min_age_days: 3 }
    const made = await ann.client.put(path(), sent)
    const shown = { type: 'npm', url, has_credentials: true, allow: ['@team/*'], min_age_days: 3, offline: false }
    expect([made.status, made.json]).toMatchObject([200, shown])
    expect(made.text).not.toContain('S3CRET')
    expect((await ann.client.put(path(), { url: `${url}/other` })).json).toMatchObject({ has_credentials: true })
    expect((await ann.client.put(path(), { url: 'https://other.example.test' })).json).toMatchObject({
      has_credentials: false,
    })
    const list = await root!.client.get(`/packages/${ann.name}/-/upstreams`)
    expect([list.json, list.headers.get('x-total-count')]).toMatchObject([[{ url: 'https://other.example.test' }], '1'])
    expect((await ann.client.delete(path())).status).toBe(204)
    expect((await ann.client.delete(path())).status).toBe(404)
    expect((await ann.client.get(path())).status).toBe(404)
  })

  it('is refused to writers of packages, for other types and with a wrong address', async () => {
    const org = await server.world.org(`guild${count}`, { owner: ann })
    await org.team('writers', { permission: 'write', units: ['repo.packages'], members: [bob!] })
    const url = upstream.url
    expect((await bob!.client.put(path('npm', org.name), { url })).status).toBe(403)
    expect((await bob!.client.get(path('npm', org.name))).status).toBe(403)
    expect((await ann.client.put(path('npm', org.name), { url })).status).toBe(200)
    expect((await (await ann.withToken('read:package')).put(path(), { url })).status).toBe(403)
    expect((await ann.client.put(path('generic'), { url })).status).toBe(404)
    for (const wrong of ['ftp://x.test', 'https://a:b@x.test', 'https://x.test?a=1', server.url])
      expect((await ann.client.put(path(), { url: wrong })).status, wrong).toBe(422)
    expect((await ann.client.put(path(), { url, allow: ['x'.repeat(256)] })).status).toBe(422)
  })

  it('serves packages that the owner does not have, with addresses of this server', async () => {
    await save()
    const answer = await read('@other%2flib')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json;charset=utf-8'])
    const address = `${server.url}/api/packages/${ann.name}/npm/@other/lib/-/lib-1.0.0.tgz`
    const shown = (await answer.json()) as { versions: Record<string, { dist: { tarball: string } }> }
    expect(upstream.asked).toEqual(['GET /npm/@other%2Flib'])
    expect(Object.keys(shown.versions)).toEqual(['1.0.0'])
    const bytes = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    expect([bytes.status, Buffer.from(await bytes.arrayBuffer())]).toEqual([200, tarball])
    expect((await read('@other/lib', { 'if-none-match': answer.headers.get('etag')! })).status).toBe(304)
  })

  it('is requested once for a file that many clients read at the same time', async () => {
    await save()
    const answers = await Promise.all(Array.from({ length: 10 }, () => read(file('lib'))))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    now += DAY
    expect(await statusOf(file('lib'))).toBe(200)
    expect(upstream.asked).toEqual(['GET /npm/lib', 'GET /files/lib-1.0.0.tgz'])
  })

  it('is requested for a newer index after minutes, by a conditional request', async () => {
    await save()
    serve({ etag: '"one"' })
    expect(await statusOf('lib')).toBe(200)
    now += 4 * MINUTE
    expect(await statusOf('lib')).toBe(200)
    expect(upstream.asked).toHaveLength(1)
    now += 2 * MINUTE
    expect(await statusOf('lib')).toBe(200)
    expect(upstream.headers[1]).toMatchObject({ 'if-none-match': '"one"' })
    serve({ etag: '"two"', versions: { '1.0.0': '2026-01-01', '1.1.0': '2026-01-02' } })
    now += 6 * MINUTE
    expect(await (await read('lib')).json()).toMatchObject({ 'dist-tags': { latest: '1.1.0' } })
  })

  it('is never requested for a name of the owner, nor for one that is not allowed', async () => {
    await save({ allow: ['@team/*', 'l*b'] })
    const document = {
      name: 'lib',
      versions: { '1.0.0': { name: 'lib', version: '1.0.0', dist: { integrity } } },
      _attachments: { 'lib-1.0.0.tgz': { data: tarball.toString('base64') } },
    }
    const published = await fetch(`${server.url}/api/packages/${ann.name}/npm/lib`, {
      method: 'PUT',
      body: JSON.stringify(document),
      headers: { authorization: `Bearer ${token}` },
    })
    expect(published.status).toBe(201)
    serve({ versions: { '9.0.0': '2026-01-01' } })
    expect(Object.keys(((await (await read('lib')).json()) as { versions: object }).versions)).toEqual(['1.0.0'])
    for (const name of [
      file('lib', '9.0.0'),
      file('LIB', '9.0.0'),
      'lob2',
      '@other/lib',
      '-/ping2',
      '@team%2f..%2fx',
      '..%2fx',
    ])
      expect(await statusOf(name), name).toBe(404)
    expect(upstream.asked).toEqual([])
    expect([await statusOf('lob'), await statusOf('@team/x')]).toEqual([200, 200])
  })

  it('serves only stored copies when it is unavailable or offline', async () => {
    await save()
    expect([await statusOf('lib'), await statusOf(file('lib'))]).toEqual([200, 200])
    for (const status of [401, 429, 500]) {
      upstream.answer((_, response) => response.writeHead(status).end())
      now += 6 * MINUTE
      expect([await statusOf('lib'), await statusOf('none')]).toEqual([200, 503])
    }
    const before = upstream.asked.length
    expect(await statusOf('lib')).toBe(200)
    expect(upstream.asked).toHaveLength(before)
    upstream.answer((_, response) => response.writeHead(404).end())
    now += 6 * MINUTE
    expect([await statusOf('lib'), await statusOf(file('lib'))]).toEqual([404, 200])
    serve()
    await save({ offline: true })
    upstream.asked.splice(0)
    expect([await statusOf('lib'), await statusOf('none'), await statusOf(file('none'))]).toEqual([200, 404, 404])
    await save({ offline: true, min_age_days: 3650 })
    expect(((await (await read('lib')).json()) as { versions: object }).versions).toEqual({})
    expect(upstream.asked).toEqual([])
  })

  it('leaves out versions that are too young', async () => {
    await save({ min_age_days: 7 })
    const day = (age: number): string => new Date(now - age * DAY).toISOString()
    serve({ versions: { '1.0.0': day(30), '1.1.0': day(6), '2.0.0': '' } })
    const shown = (await (await read('lib')).json()) as { versions: object }
    expect([Object.keys(shown.versions), shown]).toMatchObject([['1.0.0'], { 'dist-tags': { latest: '1.0.0' } }])
    expect([await statusOf(file('lib', '1.1.0')), await statusOf(file('lib', '2.0.0'))]).toEqual([404, 404])
    expect(upstream.asked.some((one) => one.includes('/files/'))).toBe(false)
    now += 2 * DAY
    expect(await statusOf(file('lib', '1.1.0'))).toBe(200)
  })

  it('refuses wrong digests, HTML, other packages, long and endless answers, and forbidden addresses', async () => {
    await save()
    serve({ bytes: Buffer.from('other bytes') })
    expect([await statusOf(file('lib')), await statusOf(file('lib'))]).toEqual([503, 503])
    serve({ dist: { integrity: undefined } })
    expect(await statusOf(file('plain'))).toBe(404)
    const respond: readonly Parameters<FakeUpstream['answer']>[0][] = [
      (_, response) => response.end('<!DOCTYPE html><title>Sign in</title>'),
      (_, response) => response.end(JSON.stringify(packument('another'))),
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
      (_, response) => response.writeHead(302, { location: '/again' }).end(),
      (_, response) => {
        const send = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, 'x')));
          response.once('drain', send)
        }
        send()
      },
    ]
    for (const [at, one] of respond.entries()) {
      upstream.answer(one)
      expect(await statusOf(`bad${at}`), String(at)).toBe(503)
    }
    serve({ pad: 10 * 1024 * 1024 })
    expect(await statusOf('large')).toBe(200)
    serve({ dist: { tarball: 'http://10.0.0.1/x.tgz' } })
    expect(await statusOf('inner/-/x.tgz')).toBe(503)
  })

  it('receives only its own credentials, and other servers receive none', async () => {
    const other = await startUpstream()
    other.answer((_, response) => response.end(tarball))
    await save({ username: 'me', password: 'S3CRET' })
    serve({ dist: { tarball: `${other.url}/lib-1.0.0.tgz` } })
    expect(await statusOf(file('lib'))).toBe(200)
    expect(upstream.headers[0]).toMatchObject({ authorization: `Basic ${btoa('me:S3CRET')}` })
    expect([other.asked, other.headers[0]!.authorization]).toEqual([['GET /lib-1.0.0.tgz'], undefined])
    await other.close()
    await save({ password: 'T0KEN' })
    now += 6 * MINUTE
    expect(await statusOf('lib')).toBe(200)
    expect(upstream.headers.at(-1)).toMatchObject({ authorization: 'Bearer T0KEN' })
  })

  it('has copies that count towards quotas and are deleted when unused and with the upstream', async () => {
    await save()
    await read(file('lib'))
    const used = async () => (await ann.client.get('/user/quota')).json.used.size.assets.packages.all as number
    const first = await used()
    expect(first).toBeGreaterThan(tarball.length)
    const clean = async (): Promise<void> => {
      expect((await root!.client.post('/admin/cron/cleanup_package_upstreams')).status).toBe(204)
      await server.drain()
    }
    now += 29 * DAY
    await read(file('lib'))
    now += 2 * DAY
    await clean()
    expect(await used()).toBe(tarball.length)
    expect((await ann.client.delete(path())).status).toBe(204)
    expect([await used(), await statusOf(file('lib'))]).toEqual([0, 404])
  })

  it('does nothing where the administrator allows no hosts', async () => {
    const plain = await startServer({ on: kind })
    const eve = await plain.world.user('eve')
    expect((await eve.client.put('/packages/eve/-/upstreams/npm', { url: upstream.url })).status).toBe(422)
    expect((await fetch(`${plain.url}/api/packages/eve/npm/lib`)).status).toBe(404)
    await plain.close()
  })

  it('serves npm install through another server', async () => {
    const other = await startServer({ on: kind })
    const eve = await other.world.user('eve')
    const dir = await mkdtemp(join(tmpdir(), 'ingot-npm-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const configure = (url: string, auth: string): Promise<void> =>
      writeFile(
        join(dir, '.npmrc'),
        `registry=${url}\n${url.slice('http:'.length)}:_authToken=${auth}\nfetch-retries=0\naudit=false\nfund=false\nupdate-notifier=false\n`,
      )
    const npm = (at: string, ...args: string[]) =>
      promisify(execFile)('npm', args, {
        cwd: join(dir, at),
        env: { ...process.env, npm_config_userconfig: join(dir, '.npmrc'), npm_config_cache: join(dir, 'cache') },
      })
    for (const [at, manifest] of [
      ['base', { name: 'base', version: '1.2.3' }],
      ['tool', { name: '@team/tool', version: '2.0.0', dependencies: { base: '^1.0.0' } }],
      ['project', { name: 'project', version: '1.0.0' }],
    ] as const) {
      await mkdir(join(dir, at))
      await writeFile(join(dir, at, 'package.json'), JSON.stringify(manifest))
    }
    await configure(`${other.url}/api/packages/eve/npm/`, await eve.token('write:package'))
    await npm('base', 'publish')
    await npm('tool', 'publish')
    await save({ url: `${other.url}/api/packages/eve/npm` })
    await rm(join(dir, 'cache'), { recursive: true })
    await configure(`${server.url}/api/packages/${ann.name}/npm/`, token)
    await npm('project', 'install', '@team/tool')
    await other.close()
    await rm(join(dir, 'cache'), { recursive: true })
    await rm(join(dir, 'project/node_modules'), { recursive: true })
    await npm('project', 'ci')
    expect(JSON.parse(await readFile(join(dir, 'project/node_modules/base/package.json'), 'utf8'))).toMatchObject({
      version: '1.2.3',
    })
  })
})
