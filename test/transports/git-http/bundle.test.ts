import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'

const dir = tempDir()
let server: TestServer
let alice: Person
let open: Repo
let secret: Repo
let work: string

beforeAll(async () => {
  server = await startServer({ tuning: { bundleMinBytes: 20_000 } })
  alice = await server.world.user('alice')
  open = await server.world.repo({ owner: alice, name: 'open' })
  secret = await server.world.repo({ owner: alice, name: 'secret', isPrivate: true })
  work = join(dir.path, 'work')
  await git(dir.path, ['init', '-q', '-b', 'main', work])
  await grow(30_000)
  for (const { name } of [open, secret]) await push(name, 'main')
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

async function grow(bytes: number): Promise<void> {
  writeFileSync(join(work, 'data'), randomBytes(bytes))
  await git(work, ['add', '.'])
  await git(work, ['commit', '-qm', 'more'])
}

const host = () => server.url.slice('http://'.length)
const withLogin = (name: string) => `http://alice:${encodeURIComponent(PASSWORD)}@${host()}/alice/${name}.git`
const login = { authorization: `Basic ${Buffer.from(`alice:${PASSWORD}`).toString('base64')}` }
const bundle = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}/alice/${name}.git/clone.bundle`, { method, headers })
const maintain = ({ storage, objectFormat }: Repo) =>
  server.app.git
    .maintain({ storage, objectFormat }, 'full')
    .then(() => server.app.git.refreshBundle({ storage, objectFormat }, 20_000))
const push = (name: string, ...refs: string[]) => git(work, ['push', '-q', '-f', withLogin(name), ...refs])

async function capabilities(name: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${server.url}/alice/${name}.git/info/refs?service=git-upload-pack`, {
    headers: { 'git-protocol': 'version=2', ...headers },
  })
  return answer.text()
}

async function list(name: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${server.url}/alice/${name}.git/git-upload-pack`, {
    method: 'POST',
    body: '0017command=bundle-uri\n0017object-format=sha1\n00010000',
    headers: { 'git-protocol': 'version=2', 'content-type': 'application/x-git-upload-pack-request', ...headers },
  })
  return answer.text()
}

describe('bundles of large repositories', () => {
  it('are created in the background, announced in protocol version 2 only, and used by git', async () => {
    expect(await capabilities('open')).not.toContain('bundle-uri')
    expect((await bundle('open')).status).toBe(404)
    expect([await maintain(open), await maintain(secret)]).toEqual([true, true])
    expect(await capabilities('open')).toMatch(/0010?0?0?.*bundle-uri\n0000$/s)
    expect(await list('open')).toBe(
      `0014bundle.version=10013bundle.mode=all${length(`bundle.clone.uri=${server.url}/alice/open.git/clone.bundle`)}0000`,
    )
    const old = await fetch(`${server.url}/alice/open.git/info/refs?service=git-upload-pack`)
    expect(await old.text()).not.toContain('bundle')
    const to = join(dir.path, 'clone')
    await git(dir.path, [
      'clone',
      '-q',
      `--bundle-uri=${server.url}/alice/open.git/clone.bundle`,
      `${server.url}/alice/open.git`,
      to,
    ])
    expect(await git(to, ['for-each-ref', '--format=%(objectname)', 'refs/bundles/'])).toContain(
      await git(work, ['rev-parse', 'main']),
    )
    const plain = join(dir.path, 'plain')
    await git(dir.path, ['clone', '-q', '-c', 'transfer.bundleURI=true', `${server.url}/alice/open.git`, plain])
    expect(await git(plain, ['rev-parse', 'HEAD'])).toBe(await git(work, ['rev-parse', 'main']))
  })

  it('are for accounts that may read the repository', async () => {
    for (const headers of [{}, { authorization: `Basic ${Buffer.from('alice:wrong').toString('base64')}` }])
      expect((await bundle('secret', headers)).status).toBe(401)
    const mallory = await server.world.user('mallory')
    expect(
      (
        await bundle('secret', {
          authorization: `Basic ${Buffer.from(`${mallory.name}:${PASSWORD}`).toString('base64')}`,
        })
      ).status,
    ).toBe(404)
    expect((await bundle('secret', login)).status).toBe(200)
    expect(await capabilities('secret', login)).toContain('bundle-uri')
  })

  it('can be downloaded in parts, and again only when they changed', async () => {
    const whole = await bundle('open')
    const bytes = Buffer.from(await whole.arrayBuffer())
    const etag = whole.headers.get('etag')!
    expect([whole.status, whole.headers.get('accept-ranges'), whole.headers.get('content-length')]).toEqual([
      200,
      'bytes',
      String(bytes.length),
    ])
    const rest = await bundle('open', { range: 'bytes=1000-', 'if-range': etag })
    expect([rest.status, rest.headers.get('content-range')]).toEqual([
      206,
      `bytes 1000-${bytes.length - 1}/${bytes.length}`,
    ])
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(1000))).toBe(true)
    expect((await bundle('open', { range: 'bytes=1000-', 'if-range': '"old"' })).status).toBe(200)
    expect((await bundle('open', { range: `bytes=${bytes.length}-` })).status).toBe(416)
    expect((await bundle('open', { 'if-none-match': etag })).status).toBe(304)
    const head = await bundle('open', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  })

  it('are replaced after large or forced pushes, and deleted when the repository shrinks or is deleted', async () => {
    const before = (await bundle('open', {}, 'HEAD')).headers.get('etag')
    expect(await maintain(open)).toBe(false)
    await grow(100)
    await push('open', 'main')
    expect(await maintain(open)).toBe(false)
    expect((await bundle('open', {}, 'HEAD')).headers.get('etag')).toBe(before)
    await grow(30_000)
    await push('open', 'main')
    expect(await maintain(open)).toBe(true)
    await git(work, ['reset', '-q', '--hard', 'HEAD~1'])
    await push('open', 'main')
    expect(await maintain(open)).toBe(true)
    expect(await server.app.git.refreshBundle(open, 1e9)).toBe(false)
    expect([(await bundle('open')).status, await capabilities('open')]).toEqual([
      404,
      expect.not.stringContaining('bundle'),
    ])
    expect(await maintain(open)).toBe(true)
    await server.app.git.removeRepo(open.storage)
    expect(existsSync(server.app.git.path(open.storage))).toBe(false)
  })
})

const length = (line: string): string => (line.length + 4).toString(16).padStart(4, '0') + line
