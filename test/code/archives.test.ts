import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processesWith, until } from '../core/git/wire/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { codeRepo, oracle, SMALL, type CodeRepo } from './code-world.ts'

describe.each(['sha1', 'sha256'] as const)('archives of a %s repository', (format) => {
  let server: TestServer
  let ann: Person
  let bob: Person
  let code: CodeRepo
  let secret: CodeRepo

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    code = await codeRepo(server, ann, { name: 'Code', format, history: SMALL })
    secret = await codeRepo(server, ann, { name: 'secret', format, history: SMALL, isPrivate: true })
  })
  afterAll(() => server.close())

  const load = (path: string, options: RequestInit = {}) => fetch(server.url + path, { redirect: 'manual', ...options })
  const api = (path: string, options: RequestInit = {}) => load(`/api/v1${path}`, options)
  const basic = (person: Person) => ({
    authorization: `Basic ${Buffer.from(`${person.name}:Corr3ct-horse!`).toString('base64')}`,
  })
  const save = async (response: Response, name: string): Promise<string> => {
    const path = join(server.dataDir, name)
    writeFileSync(path, Buffer.from(await response.arrayBuffer()))
    return path
  }
  const entries = async (response: Response): Promise<string[]> =>
    execFileSync('tar', ['tzf', await save(response, 'x.tgz')], { encoding: 'utf8' })
      .trim()
      .split('\n')

  it('are hidden with the repository', async () => {
    for (const word of ['archive/main.zip', 'tarball/main', 'zipball/main', 'bundle/main']) {
      expect((await api(`${secret.path}/${word}`)).status, word).toBe(404)
      expect((await api(`${secret.path}/${word}`, { headers: basic(bob) })).status, word).toBe(404)
      expect((await api(`${secret.path}/${word}`, { headers: basic(ann) })).status, word).toBe(200)
    }
    expect((await load('/ann/secret/archive/main.zip')).status).toBe(404)
    expect((await load('/ann/secret/archive/main.zip', { headers: basic(bob) })).status).toBe(404)
    expect((await load('/ann/secret/archive/main.zip', { headers: basic(ann) })).status).toBe(200)
  })

  it('have a file name, a permanent link and a validator, for GET and HEAD', async () => {
    const first = await api(`${code.path}/archive/main.tar.gz`)
    expect(first.status).toBe(200)
    const tip = code.oid('main')
    expect(first.headers.get('content-disposition')).toContain('attachment; filename="Code-main.tar.gz"')
    expect(first.headers.get('link')).toBe(
      `<${server.url}/api/v1/repos/ann/Code/archive/${tip}.tar.gz?rev=${tip}>; rel="immutable"`,
    )
    const bytes = Buffer.from(await first.arrayBuffer())
    const etag = first.headers.get('etag')!
    const again = await load(`/ann/Code/archive/${tip.slice(0, 10)}.tar.gz`)
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true)
    expect([again.headers.get('etag'), again.headers.get('content-length')]).toEqual([etag, String(bytes.length)])
    const head = await api(`${code.path}/archive/main.tar.gz`, { method: 'HEAD' })
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      200,
      etag,
      String(bytes.length),
    ])
    const known = await api(`${code.path}/archive/main.tar.gz`, { headers: { 'if-none-match': etag } })
    expect([known.status, await known.text()]).toEqual([304, ''])
  })

  it('contain all or some files, in a folder with the name of the repository', async () => {
    const files = oracle(code.git.path, ['ls-tree', '-r', '--name-only', 'main']).split('\n')
    const all = await entries(await api(`${code.path}/tarball/main`))
    for (const file of files) expect(all).toContain(`code/${file}`)
    const some = await entries(await api(`${code.path}/archive/main.tar.gz?path=${encodeURIComponent(files[0]!)}`))
    expect(some.filter((name) => !name.endsWith('/'))).toEqual([`code/${files[0]}`])
  })

  it('can be a bundle that git clones', async () => {
    const bundle = await save(await api(`${code.path}/bundle/main`), 'x.bundle')
    expect(oracle(code.git.path, ['bundle', 'list-heads', bundle]).split('\n')).toEqual([
      `${code.oid('main')} refs/heads/bundle`,
      `${code.oid('main')} HEAD`,
    ])
    oracle(code.git.path, ['bundle', 'verify', '-q', bundle])
  })

  it('reject unknown formats, refs and paths', async () => {
    const empty = await codeRepo(server, ann, { name: 'empty', format })
    const cases: [string, number][] = [
      [`${code.path}/archive/main.rar`, 400],
      [`${code.path}/archive/main`, 400],
      [`${code.path}/archive/.zip`, 400],
      [`${code.path}/archive/none.zip`, 404],
      [`${code.path}/archive/--output=x.zip`, 404],
      [`${empty.path}/archive/main.zip`, 404],
      [`${code.path}/archive/main.zip?path=none`, 400],
      [`${code.path}/archive/main.zip?path=..%2f..%2fetc`, 400],
      [`${code.path}/archive/main.bundle?path=a`, 400],
    ]
    for (const [path, status] of cases) expect((await api(path)).status, path).toBe(status)
    expect((await load('/ann/Code/archive/main.rar')).status).toBe(400)
  })

  it('are counted for tags', async () => {
    for (const path of ['tarball/v1', 'zipball/v1', 'archive/v1.zip', 'bundle/v1', 'archive/main.zip'])
      await (await api(`${code.path}/${path}`)).arrayBuffer()
    await (await load('/ann/Code/archive/v1.zip')).arrayBuffer()
    await api(`${code.path}/zipball/v1`, { method: 'HEAD' })
    const tag = await server.anonymous.get(`${code.path}/tags/v1`)
    expect(tag.json.archive_download_count).toEqual({ zip: 3, tar_gz: 1 })
    const release = (await ann.client.post(`${code.path}/releases`, { tag_name: 'v1' })).json
    expect(release.archive_download_count).toEqual({ zip: 3, tar_gz: 1 })
    expect((await server.anonymous.get(`${code.path}/git/tags/${tag.json.id}`)).json.archive_download_count).toEqual({
      zip: 3,
      tar_gz: 1,
    })
  })

  it('are created once for identical requests, and cached', async () => {
    const before = readdirSync(join(server.dataDir, 'cache/archives')).length
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api(`${code.path}/archive/topic.zip`).then((r) => r.arrayBuffer())),
    )
    expect(new Set(answers.map((bytes) => Buffer.from(bytes).toString('base64'))).size).toBe(1)
    // A file being written and the complete file: two names of one archive.
    expect(readdirSync(join(server.dataDir, 'cache/archives')).length - before).toBeLessThanOrEqual(2)
  })
})

describe('archives whose client disconnects', () => {
  it('are aborted and leave no files', async () => {
    const server = await startServer()
    try {
      const ann = await server.world.user('ann')
      const big = randomBytes(12_000_000).toString('base64')
      const history = `commit refs/heads/main\ncommitter A <a@example.test> 1700000000 +0000\ndata 1\nx\nM 100644 inline big\ndata ${big.length}\n${big}\n`
      const code = await codeRepo(server, ann, { name: 'code', history })
      const working = () => processesWith(`archive --format=zip --prefix=code/ ${code.oid('main')}`)
      const leave = new AbortController()
      const answer = await fetch(`${server.url}/api/v1${code.path}/archive/main.zip`, { signal: leave.signal })
      expect(answer.status).toBe(200)
      await until('git at work', async () => (await working()) > 0)
      leave.abort()
      await until('git stopped', async () => (await working()) === 0, 3000)
      await until('nothing left', () => readdirSync(join(server.dataDir, 'cache/archives')).length === 0)
    } finally {
      await server.close()
    }
  })
})

describe('archives that outgrow the cache', () => {
  it('are sent completely', async () => {
    const server = await startServer({ settings: { 'git.pack_cache_size': '600' } })
    try {
      const ann = await server.world.user('ann')
      const code = await codeRepo(server, ann, { name: 'code', history: SMALL })
      const oid = code.oid('main')
      const expected = execFileSync('git', ['-C', code.git.path, 'archive', '--format=zip', '--prefix=code/', oid])
      expect(expected.length).toBeGreaterThan(300)
      const got = await fetch(`${server.url}/api/v1${code.path}/archive/main.zip`)
      expect(Buffer.from(await got.arrayBuffer()).equals(expected)).toBe(true)
    } finally {
      await server.close()
    }
  })
})
