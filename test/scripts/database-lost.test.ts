import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../harness/postgres.ts'
import { startReceiver } from '../harness/receiver.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const PATIENCE_MS = 20_000
const PROMPT_MS = 5_000

/** Asks until the answer is as wanted. */
async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (wanted(answer) || Date.now() > end) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe.skipIf(inject('postgresUrl') === '')('a server whose PostgreSQL goes away and comes back', () => {
  let dir: string
  let postgres: TestPostgres
  let server: TestServer
  let ann: Person
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-lost-'))
    postgres = (await startPostgres(join(dir, 'postgres')))!
    await postgres.createDatabase('ingot')
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
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const pending = async (): Promise<number> =>
    (await server.app.database.read.selectFrom('event').select('id').where('dispatched_at', '=', 0).execute()).length
  const git = async (): Promise<number> =>
    (await fetch(`${server.url}/ann/kept.git/info/refs?service=git-upload-pack`)).status

  it(
    'answers 503 meanwhile, at once and with the reason, and goes on by itself afterwards',
    async () => {
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
      expect((await fetch(`${server.url}/api/healthz`)).status).toBe(503)
      expect((await fetch(`${server.url}/api/readyz`)).status).toBe(503)
      expect((await server.anonymous.get('/version')).status).toBe(200)
      expect(performance.now() - since).toBeLessThan(PROMPT_MS)

      await postgres.start()
      expect(
        await until(
          async () => (await ann.client.get('/user')).status,
          (status) => status === 200,
        ),
      ).toBe(200)
      for (const name of ['healthz', 'readyz'])
        await expect.poll(async () => (await fetch(`${server.url}/api/${name}`)).status).toBe(200)
      expect((await ann.client.put('/user/starred/ann/kept')).status).toBe(204)
      expect((await ann.client.post('/user/repos', { name: 'afterwards', auto_init: true })).status).toBe(201)
      expect(await git()).toBe(200)
      expect(await until(pending, (count) => count === 0)).toBe(0)
      expect(
        await until(
          () => server.app.background.jobs.countOpen(),
          (count) => count === 0,
        ),
      ).toBe(0)
      const names = (
        await server.app.database.read.selectFrom('cron_task').select('name').where('name', 'like', 'lost%').execute()
      ).map((row) => row.name)
      expect(names).toEqual([])
    },
    PATIENCE_MS * 3,
  )

  it(
    'has delivered every webhook afterwards, in order',
    async () => {
      const receiver = await startReceiver()
      const names = Array.from({ length: 6 }, (_, n) => `hooked${n}`)
      const arrived = (): string[] => {
        const all = receiver.got.map(({ body }) => String(JSON.parse(body).head_commit.message).trim())
        return all.filter((name, index) => name !== all[index - 1])
      }
      try {
        const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
        receiver.answer(
          (_, response) => void (receiver.got.length < 3 ? response.end() : lost.then(() => response.end())),
        )
        const config = { url: receiver.url, content_type: 'json' }
        const hook = { type: 'gitea', active: true, events: ['push'], config }
        expect((await ann.client.post('/repos/ann/kept/hooks', hook)).status).toBe(201)
        for (const name of names)
          expect(
            (await ann.client.post(`/repos/ann/kept/contents/${name}`, { content: 'eA==', message: name })).status,
          ).toBe(201)
        await receiver.waitFor(3)
        await postgres.stop()
        // The third request is answered now, which cannot be recorded: it is sent again.
        lose()
        await until(
          async () => (await ann.client.get('/user')).status,
          (status) => status === 503,
        )
        expect(arrived()).toEqual(names.slice(0, 3))
        await postgres.start()
        expect(
          await until(
            async () => arrived(),
            (all) => all.includes(names.at(-1)!),
          ),
        ).toEqual(names)
        expect(receiver.got.length).toBeGreaterThan(names.length)
        const waiting = () =>
          server.app.database.read.selectFrom('hook_delivery').select('id').where('state', '=', 'waiting').execute()
        expect(await until(waiting, (rows) => rows.length === 0)).toEqual([])
      } finally {
        await receiver.close()
      }
    },
    PATIENCE_MS * 3,
  )
})
