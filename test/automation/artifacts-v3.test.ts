import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Run } from '../../src/domains/automation/index.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { expectRanges, type RunningJob, startJob } from '../harness/artifacts.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

type Call = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> }

const DAY_MS = 86_400_000

describeOnBoth('artifact protocol v3', (kind) => {
  let server: TestServer
  let [ann, root] = [] as unknown as [Person, Person]
  let run: Run
  let [job, second, other] = [] as unknown as [RunningJob, RunningJob, RunningJob]
  let now = 1_800_000_000_000

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => now }, settings: { 'quota.enabled': 'true' } })
    ;[ann, root] = [await server.world.user('ann'), await server.world.admin()]
    const repo = await server.world.repo({ owner: ann, name: 'r' })
    const factory = createActionsFactory(server.app)
    run = (await factory.run(repo.id)).run
    ;[job, second] = [await startJob(server, run), await startJob(server, run)]
    other = await startJob(server, (await factory.run(repo.id)).run)
  })
  afterAll(() => server.close())

  const call = (path: string, init: Call = {}, by = job): Promise<Response> =>
    fetch(
      path.startsWith('http')
        ? path
        : `${server.url}/api/actions_pipeline/_apis/pipelines/workflows/${run.id}/artifacts${path}`,
      { ...init, headers: { authorization: `Bearer ${by.token}`, ...init.headers } },
    )
  const begin = async (name: string, more: object = {}): Promise<string> => {
    const body = JSON.stringify({ Type: 'actions_storage', Name: name, ...more })
    const answer = await call('', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect(answer.status).toBe(200)
    return ((await answer.json()) as Any).fileContainerResourceUrl
  }
  interface Part {
    readonly start?: number
    readonly total?: number
    readonly headers?: Record<string, string>
    readonly by?: RunningJob
  }
  const put = (url: string, itemPath: string, body: Buffer, { start = 0, total, headers, by }: Part = {}) => {
    const address = new URL(url)
    address.searchParams.append('itemPath', itemPath)
    return call(
      address.href,
      {
        method: 'PUT',
        body: new Uint8Array(body),
        headers: {
          'content-type': 'application/octet-stream',
          'content-range': `bytes ${start}-${start + body.length - 1}/${total ?? body.length}`,
          'x-actions-results-md5': createHash('md5').update(body).digest('base64'),
          ...headers,
        },
      },
      by,
    )
  }
  const confirm = (name: string): Promise<Response> =>
    call(`?artifactName=${name}`, {
      method: 'PATCH',
      body: '{"Size":1}',
      headers: { 'content-type': 'application/json' },
    })
  const filesOf = async (name: string): Promise<Record<string, string>> => {
    const listed = (await (await call('')).json()) as Any
    const found = listed.value.find((entry: Any) => entry.name === name)
    const { value } = (await (await call(`${found.fileContainerResourceUrl}?itemPath=${name}`)).json()) as Any
    return Object.fromEntries(value.map((entry: Any) => [entry.path, entry.contentLocation]))
  }

  it('joins the chunks of files, and serves them when the artifact is confirmed', async () => {
    const url = await begin('logs')
    expect(new URL(url).pathname).toMatch(
      new RegExp(`/artifacts/${createHash('md5').update('logs').digest('hex')}/upload$`),
    )
    const first = await put(url, 'logs/deep/a.txt', Buffer.from('one '), { total: 7 })
    expect([first.status, await first.json()]).toEqual([200, { message: 'success' }])
    expect((await put(url, 'logs/deep/a.txt', Buffer.from('two'), { start: 4, total: 7 })).status).toBe(200)
    const zipped = gzipSync('zipped text')
    await put(url, 'logs/b.txt', zipped, { headers: { 'content-encoding': 'gzip', 'x-tfs-filelength': '11' } })
    expect(((await (await call('')).json()) as Any).count).toBe(0)
    const confirmed = await confirm('logs')
    expect([confirmed.status, await confirmed.json()]).toEqual([200, { message: 'success' }])
    const files = await filesOf('logs')
    expect(Object.keys(files)).toEqual(['logs/b.txt', 'logs/deep/a.txt'])
    await expectRanges((headers) => call(files['logs/deep/a.txt']!, { headers }), 'one two')
    const packed = await call(files['logs/b.txt']!)
    expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', 'zipped text'])
    expect(gunzipSync(zipped).toString()).toBe('zipped text')
  })

  it('takes an empty file', async () => {
    const url = await begin('empty', { RetentionDays: 1 })
    const headers = { 'content-range': 'bytes 0--1/0', 'x-tfs-filelength': '0' }
    expect((await put(url, 'empty/a.txt', Buffer.alloc(0), { headers })).status).toBe(200)
    await confirm('empty')
    const { 'empty/a.txt': file } = await filesOf('empty')
    expect(await (await call(file!)).text()).toBe('')
  })

  it('lets several jobs add files to one artifact', async () => {
    const url = await begin('logs')
    await put(url, 'logs/b.txt', Buffer.from('newer'), { by: second })
    await put(url, 'logs/c.txt', Buffer.from('third'), { by: second })
    await confirm('logs')
    const files = await filesOf('logs')
    expect(Object.keys(files)).toEqual(['logs/b.txt', 'logs/c.txt', 'logs/deep/a.txt'])
    expect(await (await call(files['logs/b.txt']!)).text()).toBe('newer')
  })

  it('refuses the files of other runs and what the client states wrongly', async () => {
    const url = await begin('bad')
    const text = Buffer.from('text')
    for (const [itemPath, part] of [
      ['other/a.txt', {}],
      ['bad/../a.txt', {}],
      ['bad', {}],
      ['bad/a.txt', { headers: { 'content-range': 'bytes 4-1/4' } }],
      ['bad/a.txt', { headers: { 'content-range': 'bytes 0-3/*' } }],
      ['bad/a.txt', { headers: { 'content-range': 'bytes 0-8/9' } }],
      ['bad/a.txt', { headers: { 'x-actions-results-md5': 'AAAA' } }],
      ['bad/a.txt', { headers: { 'content-encoding': 'br' } }],
    ] as const)
      expect((await put(url, itemPath, text, part)).status, JSON.stringify([itemPath, part])).toBe(400)
    expect((await put(url, 'bad/a.txt', text, { by: other })).status).toBe(400)
    expect((await call('', {}, other)).status).toBe(400)
    expect((await call('', { headers: { authorization: '' } })).status).toBe(401)
    expect((await confirm('bad')).status).toBe(404)
    expect((await call('/999999/download')).status).toBe(404)
  })

  it('counts in the quota of the owner, and expires', async () => {
    const url = await begin('short', { RetentionDays: 1 })
    await put(url, 'short/a.txt', Buffer.from('abc'))
    await confirm('short')
    await put(await begin('never'), 'never/a.txt', Buffer.from('never confirmed'))
    const used = async () => (await ann.client.get('/user/quota/artifacts')).json
    expect((await used()).map(({ name, size }: Any) => [name, size])).toContainEqual(['short', 3])
    now += DAY_MS + 1
    expect((await root.client.post('/admin/cron/cleanup_actions')).status).toBe(204)
    await server.drain()
    expect(new Set((await used()).map(({ name }: Any) => name))).toEqual(new Set(['logs']))
    expect(await Array.fromAsync(server.app.actionsBlobs.list())).toHaveLength(3)
  })
})
