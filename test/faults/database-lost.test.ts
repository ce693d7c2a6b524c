import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { MEASURED } from '../harness/measured.ts'
import { startPostgres, type TestPostgres } from '../harness/postgres.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const PATIENCE_MS = 20_000
const PROMPT_MS = 5_000
/** From the return of PostgreSQL until all is served again. */
const RECOVERY_MS = 1_000
const WAIT = { timeout: PATIENCE_MS, interval: 20 }

describe.skipIf(inject('postgresUrl') === '')('a server whose PostgreSQL stops and starts again', () => {
  let dir: string
  let postgres: TestPostgres
  let server: TestServer
  let receiver: Receiver
  let ann: Person
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-lost-'))
    postgres = (await startPostgres(join(dir, 'postgres')))!
    await postgres.createDatabase('ingot')
    receiver = await startReceiver()
    server = await startServer({
      settings: { 'database.url': `${postgres.url}/ingot`, 'database.max_connections': '4' },
    })
    server.app.background.start()
    ann = await server.world.user('ann')
    await ann.client.post('/user/repos', { name: 'kept', auto_init: true })
  }, PATIENCE_MS * 2)
  afterAll(async () => {
    await server.app.background.stop()
    await server.close()
    await receiver.close()
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const rows = () => server.app.database.read
  const pending = async (): Promise<number> =>
    (await rows().selectFrom('event').select('id').where('dispatched_at', '=', 0).execute()).length
  const due = () => rows().selectFrom('job').select('kind').where('run_at', '<=', Date.now()).execute()
  const git = async (): Promise<number> =>
    (await fetch(`${server.url}/ann/kept.git/info/refs?service=git-upload-pack`)).status
  const health = async (name: string): Promise<number> => (await fetch(`${server.url}/api/${name}`)).status
  const commit = (name: string) =>
    ann.client.post(`/repos/ann/kept/contents/${name}`, { content: 'eA==', message: name })

  it(
    'answers 503 at once with the reason during the outage, and delivers every webhook in order afterwards',
    async () => {
      const names = Array.from({ length: 6 }, (_, n) => `hooked${n}`)
      const arrived = (): string[] =>
        receiver.got.map(({ body }) => String(JSON.parse(body).head_commit.message).trim())
      const { promise: isLost, resolve: lose } = Promise.withResolvers<void>()
      receiver.answer(
        (_, response) => void (receiver.got.length < 3 ? response.end() : isLost.then(() => response.end())),
      )
      const config = { url: receiver.url, content_type: 'json' }
      const hook = { type: 'gitea', active: true, events: ['push'], config }
      expect((await ann.client.post('/repos/ann/kept/hooks', hook)).status).toBe(201)
      for (const name of names) expect((await commit(name)).status).toBe(201)
      await receiver.waitFor(3)

      const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const under = server.app.database.transaction(async (tx) => {
        await tx.insertInto('cron_task').values({ name: 'lost' }).execute()
        begin()
        await mayGoOn
        await tx.insertInto('cron_task').values({ name: 'lost too' }).execute()
      })
      const lost = under.then(
        () => 'committed',
        (error: unknown) => (error as { kind?: string }).kind,
      )
      await begun
      await postgres.stop()
      goOn()
      expect(await lost).toBe('unavailable')
      // The third request is answered now: it is recorded when PostgreSQL is back, and not sent again.
      lose()
      const since = performance.now()
      for (const call of [
        () => server.anonymous.get('/repos/ann/kept'),
        () => ann.client.get('/user'),
        () => ann.client.get('/repos/search'),
        () => ann.client.get('/users/search?q=a'),
        () => ann.client.post('/user/repos', { name: 'meanwhile' }),
        () => ann.client.put('/user/starred/ann/kept'),
      ]) {
        const { status, json, headers } = await call()
        expect([status, json.message, headers.get('retry-after')]).toEqual([503, 'the database cannot be reached', '5'])
      }
      expect(await git()).toBe(503)
      expect([await health('healthz'), await health('readyz')]).toEqual([503, 503])
      expect((await server.anonymous.get('/version')).status).toBe(200)
      expect(performance.now() - since).toBeLessThan(PROMPT_MS)
      expect(arrived()).toEqual(names.slice(0, 3))

      await postgres.start()
      await expect.poll(arrived, WAIT).toEqual(names)
      const waiting = () => rows().selectFrom('hook_delivery').select('id').where('state', '=', 'waiting').execute()
      await expect.poll(waiting, WAIT).toEqual([])
      for (const name of ['healthz', 'readyz']) await expect.poll(() => health(name), WAIT).toBe(200)
      expect((await ann.client.post('/user/repos', { name: 'afterwards', auto_init: true })).status).toBe(201)
      expect(await git()).toBe(200)
      const found = await rows().selectFrom('cron_task').select('name').where('name', 'like', 'lost%').execute()
      expect(found).toEqual([])
      await expect.poll(pending, WAIT).toBe(0)
      await expect.poll(due, WAIT).toEqual([])
    },
    PATIENCE_MS * 3,
  )

  it('serves again within a second', MEASURED, async () => {
    await postgres.stop()
    await expect.poll(() => health('readyz'), WAIT).toBe(503)
    await postgres.start()
    const back = performance.now()
    await expect.poll(() => health('readyz'), WAIT).toBe(200)
    expect((await commit(`back${back}`)).status).toBe(201)
    expect(await git()).toBe(200)
    await expect.poll(pending, WAIT).toBe(0)
    expect(performance.now() - back).toBeLessThan(RECOVERY_MS)
  })
})
