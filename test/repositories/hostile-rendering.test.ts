import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Client } from '../harness/client.ts'
import { MEASURED } from '../harness/measured.ts'

let server: TestServer
let alice: Client

beforeAll(async () => {
  server = await startServer()
  alice = (await server.world.user('alice')).client
  await render(alice, 'warm')
})
afterAll(() => server.close())

const render = (client: Client, Text: string, Mode = 'comment') => client.post('/markdown', { Text, Mode })

/** The sorted durations in milliseconds of consecutive requests while `work` is running. */
async function delays(request: () => Promise<unknown>, work: Promise<unknown>): Promise<number[]> {
  const found: number[] = []
  let isOver = false
  void work.finally(() => (isOver = true)).catch(() => {})
  do {
    const begin = performance.now()
    await request()
    found.push(performance.now() - begin)
  } while (!isOver)
  await work
  return found.toSorted((a, b) => a - b)
}
const median = (sorted: readonly number[]): number => sorted[sorted.length >> 1]!

describe('rendering of hostile texts', () => {
  it('rejects a text above the limit with a message that names the limit, in every form', async () => {
    const large = '"'.repeat(1024 * 1024 + 1)
    for (const answer of [
      await server.anonymous.post('/markdown/raw', large),
      await render(server.anonymous, large),
      await server.anonymous.post('/markup', { Text: large, Mode: 'file', FilePath: 'x.org' }),
    ]) {
      expect(answer.status).toBe(413)
    }
    expect((await server.anonymous.post('/markdown/raw', '"'.repeat(16_000_000))).status).toBe(413)
    expect((await server.anonymous.post('/markdown/raw', 'still *here*')).status).toBe(200)
  })

  it('serves other requests while 1 MiB of quotes is rendered or rejected', MEASURED, async () => {
    const attack = server.anonymous.post('/markdown/raw', '"'.repeat(1024 * 1024))
    const waits = await delays(() => alice.get('/version'), attack)
    expect([200, 422]).toContain((await attack).status)
    expect(median(waits)).toBeLessThan(100)
  })

  it('finds mentions in linear time and not on the thread of the server', MEASURED, async () => {
    // NOTE: long enough for quadratic work to exceed the deadline, short enough for linear work on a busy machine.
    const text = `@a${'-'.repeat(50_000)}x`
    const attack = render(server.anonymous, text)
    const waits = await delays(() => alice.get('/version'), attack)
    expect(await attack).toMatchObject({ status: 200, text: expect.stringContaining(text) })
    expect(median(waits)).toBeLessThan(100)
  })

  it('renders for one requester while another one has 34 slow texts', { ...MEASURED, timeout: 120_000 }, async () => {
    await Promise.all([render(server.anonymous, 'warm'), render(alice, 'warm')])
    const slow = Array.from({ length: 34 }, () => render(server.anonymous, '['.repeat(30_000)))
    const attack = Promise.race([Promise.all(slow), new Promise((resolve) => setTimeout(resolve, 3_000))])
    const waits = await delays(async () => expect((await render(alice, 'hi')).status).toBe(200), attack)
    expect(median(waits)).toBeLessThan(100)
    const statuses = (await Promise.all(slow)).map(({ status }) => status)
    expect(statuses).toContain(429)
    expect(statuses.every((status) => [200, 422, 429].includes(status))).toBe(true)
  })
})
