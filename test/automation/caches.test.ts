import { afterAll, beforeAll, expect, it } from 'vitest'
import { runChecks } from '../../src/app/doctor.ts'
import { sha256Hex } from '../../src/core/platform/crypto/crypto.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { callResults, type RunningJob, startJob } from '../harness/artifacts.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const HOUR_MS = 3_600_000
const VERSION = 'a1b2'

describeOnBoth('caches', (kind) => {
  let server: TestServer
  let [ann, root] = [] as unknown as [Person, Person]
  let repo: Repo
  let factory: ReturnType<typeof createActionsFactory>
  let [main, topic, pull, fork] = [] as unknown as RunningJob[] as [RunningJob, RunningJob, RunningJob, RunningJob]
  let now = 1_800_000_000_000

  beforeAll(async () => {
    server = await startServer({
      on: kind,
      clock: { now: () => now },
      settings: { 'actions.cache_size': '100', 'quota.enabled': 'true' },
    })
    ;[ann, root] = [await server.world.user('ann'), await server.world.admin()]
    repo = await server.world.repo({ owner: ann, name: 'r' })
    factory = createActionsFactory(server.app)
    main = await jobOn('refs/heads/main')
    topic = await jobOn('refs/heads/topic')
    const payload = JSON.stringify({ pull_request: { number: 4, base: { ref: 'topic' } } })
    pull = await jobOn('refs/pull/4/head', { payload })
    fork = await jobOn('refs/heads/topic', { payload, isFromFork: true, event: 'pull_request_target' })
  })
  afterAll(() => server.close())

  const jobOn = async (ref: string, more: object = {}): Promise<RunningJob> =>
    startJob(server, (await factory.run(repo.id, { ref, ...more })).run)
  const call = (job: RunningJob, method: string, members: object) =>
    callResults(server, job, `CacheService/${method}`, { version: VERSION, ...members })
  async function save(job: RunningJob, key: string, text = key): Promise<number> {
    const begun = await call(job, 'CreateCacheEntry', { key })
    if (!begun.json.ok) return begun.status
    expect((await fetch(begun.json.signedUploadUrl, { method: 'PUT', body: text })).status).toBe(201)
    return (await call(job, 'FinalizeCacheEntryUpload', { key, size_bytes: String(text.length) })).status
  }
  async function restore(job: RunningJob, ...[key, ...restoreKeys]: string[]): Promise<string | undefined> {
    const { json } = await call(job, 'GetCacheEntryDownloadURL', { key, restoreKeys })
    if (!json.ok) return undefined
    return `${json.matchedKey}: ${await (await fetch(json.signedDownloadUrl)).text()}`
  }
  const v1 = (job: RunningJob, path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/_apis/artifactcache/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${job.token}`, ...(init.headers as Record<string, string>) },
    })

  it('are found by key, else by the beginning of a key, the newest first', async () => {
    expect(await restore(main, 'deps-1')).toBeUndefined()
    await save(main, 'deps-1')
    now += 1000
    await save(main, 'deps-12')
    expect(await restore(main, 'deps-1')).toBe('deps-1: deps-1')
    expect(await restore(main, 'deps-9', 'other-', 'deps-')).toBe('deps-12: deps-12')
    expect(await restore(main, 'Deps-1')).toBeUndefined()
    const other = await call(main, 'GetCacheEntryDownloadURL', { key: 'deps-1', version: 'another' })
    expect(other.json).toEqual({ ok: false })
  })

  it('are read from the own ref, the base and the default branch only', async () => {
    await save(topic, 'built')
    expect(await restore(topic, 'deps-1')).toBe('deps-1: deps-1')
    expect(await restore(pull, 'built')).toBe('built: built')
    expect(await restore(main, 'built')).toBeUndefined()
    await save(pull, 'pull-key')
    expect(await restore(topic, 'pull-key')).toBeUndefined()
    expect(await restore(main, 'pull-key')).toBeUndefined()
    expect(await save(fork, 'built', 'poison')).toBe(200)
    expect(await restore(topic, 'built')).toBe('built: built')
    expect(await restore(fork, 'built')).toBe('built: poison')
    const others = await startJob(
      server,
      (await factory.run((await server.world.repo({ owner: ann, name: 's' })).id)).run,
    )
    expect(await restore(others, 'deps-1')).toBeUndefined()
  })

  it('are saved once', async () => {
    const again = await call(main, 'CreateCacheEntry', { key: 'deps-1' })
    expect([again.status, again.json.ok]).toEqual([200, false])
    const body = JSON.stringify({ key: 'deps-1', version: VERSION })
    expect((await v1(main, 'caches', { method: 'POST', body })).status).toBe(409)
    expect(await restore(main, 'deps-1')).toBe('deps-1: deps-1')
  })

  it('arrive in chunks by version 1 of the protocol', async () => {
    const body = JSON.stringify({ key: 'v1', version: VERSION, cacheSize: 6 })
    const { cacheId } = (await (await v1(main, 'caches', { method: 'POST', body })).json()) as { cacheId: number }
    const put = (text: string, start: number, job = main) =>
      v1(job, `caches/${cacheId}`, {
        method: 'PATCH',
        body: text,
        headers: {
          'content-type': 'application/octet-stream',
          'content-range': `bytes ${start}-${start + text.length - 1}/*`,
        },
      })
    expect((await put('two', 3)).status).toBe(200)
    const early = await v1(main, `caches/${cacheId}`, { method: 'POST', body: '{"size":6}' })
    expect(early.status).toBe(400)
    expect((await put('bad', 0, topic)).status).toBe(404)
    expect((await put('one', 0)).status).toBe(200)
    expect((await v1(main, `caches/${cacheId}`, { method: 'POST', body: '{"size":6}' })).status).toBe(200)
    const found = await v1(main, `cache?keys=v1-x,v1&version=${VERSION}`)
    const { cacheKey, archiveLocation } = (await found.json()) as Record<string, string>
    expect([found.status, cacheKey, await (await fetch(archiveLocation!)).text()]).toEqual([200, 'v1', 'onetwo'])
    expect((await v1(main, `cache?keys=none&version=${VERSION}`)).status).toBe(204)
    const bad = await v1(main, 'caches', {
      method: 'POST',
      body: JSON.stringify({ ...JSON.parse(body), cacheSize: 101 }),
    })
    expect(bad.status).toBe(400)
  })

  it('are refused without a running task and for a link that was changed', async () => {
    expect((await call({ ...main, token: 'x' }, 'CreateCacheEntry', { key: 'k' })).status).toBe(401)
    const { json } = await call(main, 'GetCacheEntryDownloadURL', { key: 'deps-1' })
    const changed = json.signedDownloadUrl.replace(
      /cacheID=(\d+)/,
      (_: string, id: string) => `cacheID=${Number(id) + 1}`,
    )
    expect((await fetch(changed)).status).toBe(401)
    for (const key of ['', 'a,b', 'x'.repeat(513)])
      expect((await call(main, 'CreateCacheEntry', { key })).status, key).toBe(400)
    expect((await call(main, 'CreateCacheEntry', { key: 'k', version: 'no spaces' })).status).toBe(400)
  })

  it('make room for new ones, the least recently used first, and expire unused', async () => {
    now += 2 * HOUR_MS
    expect(await restore(main, 'deps-1')).toBe('deps-1: deps-1')
    await save(main, 'big', 'x'.repeat(90))
    expect(await restore(main, 'deps-12')).toBeUndefined()
    expect(await restore(main, 'deps-1')).toBe('deps-1: deps-1')
    const used = (await ann.client.get('/user/quota')).json.used.size.assets.artifacts
    expect(used).toBe(96)
    expect((await root.client.post('/admin/cron/cleanup_actions')).status).toBe(204)
    await server.drain()
    expect(await Array.fromAsync(server.app.actionsBlobs.list())).toHaveLength(2)
    now += 8 * 24 * HOUR_MS
    expect((await root.client.post('/admin/cron/cleanup_actions')).status).toBe(204)
    await server.drain()
    expect(await Array.fromAsync(server.app.actionsBlobs.list())).toHaveLength(0)
  })

  it('are checked by the doctor, as the blocks of unfinished uploads', async () => {
    const job = await jobOn('refs/heads/main')
    const begun = await call(job, 'CreateCacheEntry', { key: 'unfinished' })
    const lost = ['first', 'second'].map((text) => sha256Hex(text))
    for (const text of ['first', 'second'])
      await fetch(`${begun.json.signedUploadUrl}&comp=block&blockid=${text}`, { method: 'PUT', body: text })
    await save(job, 'lost')
    const found = async (): Promise<string[]> => {
      const checks = server.app.checks.filter(({ name }) => name === 'files')
      const results = await Array.fromAsync(runChecks(checks, { fix: false, quick: true }))
      return results.flatMap(({ findings }) => findings.map(({ what }) => what))
    }
    expect(await found()).toEqual([])
    for (const hash of [...lost, sha256Hex('lost')])
      await server.app.actionsBlobs.delete(hash, () => Promise.resolve(false))
    expect(await found()).toEqual([
      expect.stringMatching(/^ann\/r: cache lost is missing/),
      expect.stringMatching(/^ann\/r: upload of unfinished is missing/),
      expect.stringMatching(/^ann\/r: upload of unfinished is missing/),
    ])
  })
})
