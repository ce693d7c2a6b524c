import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { startSecond } from '../harness/second-server.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { eventually, openStream, type TestStream } from '../harness/event-stream.ts'
import type { Person } from '../harness/world.ts'
import { MEASURED } from '../harness/measured.ts'

const PATH = '/repos/ann/desk/events/stream'
const SETTINGS = { 'server.trust_proxy': 'true' }

const TUNING = { streams: { total: 6, perAddress: 4, perAccount: 2, heartbeat: 1, buffer: 1_048_576 } }

describe('limits of streams', () => {
  let server: TestServer
  let ann: Person
  let repoId: number
  const opened: TestStream[] = []
  beforeAll(async () => {
    server = await startServer({ settings: SETTINGS, tuning: TUNING })
    ann = await server.world.user('ann')
    repoId = (await server.world.repo({ owner: ann, name: 'desk', autoInit: true })).id
  })
  afterEach(async () => {
    for (const stream of opened.splice(0)) stream.close()
    await eventually(() => server.app.streams.count === 0)
  })
  afterAll(() => server.close())
  const open = async (headers: Record<string, string> = {}): Promise<TestStream> => {
    const stream = await openStream(server.url, PATH, headers)
    opened.push(stream)
    return stream
  }
  /** Label events with a long name; each is a message of about `size` bytes. */
  const append = (count: number, size: number) =>
    server.app.database.transaction(async (tx) => {
      const origin = { actor: { account: { id: ann.user.id } }, repoId, at: Date.now() }
      for (let label_id = 0; label_id < count; label_id++)
        await server.app.events.append(tx, 'label.edited', origin, {
          repo_id: repoId,
          org_id: 0,
          label_id,
          name: 'x'.repeat(size),
        })
    })

  it('respond with 429 to too many streams per account, per address and in total', async () => {
    const authorization = `token ${await ann.token('all')}`
    const from = (address: string) => ({ 'x-forwarded-for': address })
    for (let n = 0; n < 4; n++) expect((await open()).status).toBe(200)
    expect((await open()).status).toBe(429)
    // Those of anonymous callers do not count against the account at the same address.
    for (let n = 0; n < 2; n++) expect((await open({ authorization })).status).toBe(200)
    const refused = await open({ authorization, ...from('192.0.2.9') })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30'])
    expect((await open(from('192.0.2.2'))).status).toBe(429)
    expect(server.app.streams.count).toBe(6)
  })

  it('write lines while nothing happens', async () => {
    const stream = await open()
    await eventually(() => stream.comments >= 1)
    expect(stream.messages).toEqual([])
  })

  it('do not count a stream after its client has disconnected', async () => {
    const authorization = `token ${await ann.token('all')}`
    for (let n = 0; n < 6; n++) {
      const stream = await open({ authorization })
      expect(stream.status).toBe(200)
      stream.close()
      await eventually(() => server.app.streams.count === 0)
    }
  })

  it('end the stream of a client that does not read, and of no other', async () => {
    const [slow, quick] = [await open(), await open()]
    slow.pause()
    for (let n = 1; n <= 200 && server.app.streams.count === 2; n++) {
      await append(1, 200_000)
      await eventually(() => quick.of().length === n)
    }
    expect(server.app.streams.count).toBe(1)
    const sent = quick.of().length
    await append(1, 10)
    await eventually(() => quick.of().length > sent)
    slow.resume()
    await eventually(() => slow.isEnded)
    expect(slow.of().length).toBeLessThan(quick.of().length)
  })

  it('send more than the buffer takes to a client that resumes and reads slowly', async () => {
    const first = await open()
    await append(1, 10)
    await eventually(() => first.of().length === 1)
    first.close()
    await append(300, 50_000)
    const second = await open({ 'last-event-id': first.lastId })
    second.pause()
    await sleep(300)
    expect([second.of().length < 300, server.app.streams.count]).toEqual([true, 1])
    second.resume()
    await eventually(() => second.of().length === 300)
  })

  it('make a client that has missed too many events reload', async () => {
    const first = await open()
    await append(1, 10)
    await eventually(() => first.of().length === 1)
    first.close()
    await append(1100, 10)
    const second = await open({ 'last-event-id': first.lastId })
    await eventually(() => second.of('reset').length === 1)
    expect(second.of('reset')).toEqual([{ reason: 'too-much' }])
  })
})

describe('a stream', () => {
  it('ends at its age, and with the server at once', MEASURED, async () => {
    const server = await startServer({ tuning: { streams: { maxAge: 1, heartbeat: 1 } } })
    try {
      await server.world.repo({ owner: await server.world.user('ann'), name: 'desk' })
      const aged = await openStream(server.url, PATH)
      await eventually(() => aged.isEnded)
      expect(aged.of('end')).toEqual([{ reason: 'expired' }])
      const last = await openStream(server.url, PATH)
      const begin = performance.now()
      await server.app.http.close()
      expect(performance.now() - begin).toBeLessThan(1500)
      await eventually(() => last.isEnded)
      expect(last.of('end')).toEqual([{ reason: 'restart' }])
    } finally {
      await server.close()
    }
  })
})

describeOnBoth('servers of one database', (on) => {
  it('send events of other processes, and resume streams of them', async () => {
    const one = await startServer({ on })
    const two = await startSecond(one)
    try {
      const ann = await one.world.user('ann')
      await one.world.repo({ owner: ann, name: 'desk' })
      const authorization = `token ${await ann.token('all')}`
      const at = (from: string, headers: object = {}) => openStream(from, PATH, { authorization, ...headers })
      const streams = [await at(one.url), await at(two.url)]
      const create = (title: string) => ann.client.post('/repos/ann/desk/issues', { title })
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(create))
      await eventually(() => streams.every((stream) => stream.of().length === 6))
      const ids = streams.map((stream) => stream.of().map(({ id }) => id))
      expect(ids[0]).toEqual(ids[1])
      expect(ids[0]).toEqual(ids[0]!.toSorted((a, b) => a - b))
      streams[0]!.close()
      await create('missed')
      const moved = await at(two.url, { 'last-event-id': streams[0]!.lastId })
      await eventually(() => moved.of().length === 1)
      expect(moved.of()[0].payload.title).toBe('missed')
      const tokens = (await ann.client.get('/users/ann/tokens')).json
      await ann.client.delete(`/users/ann/tokens/${tokens[0].id}`)
      await eventually(() => moved.isEnded && streams[1]!.isEnded)
      expect(moved.of('end')).toEqual([{ reason: 'refused' }])
    } finally {
      await two.close()
      await one.close()
    }
  })
})
