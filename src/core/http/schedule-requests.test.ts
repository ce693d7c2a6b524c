import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { scheduleRequests } from './http-server.ts'

const MANY = 60
/** CPU time of one request, ms. */
const BUSY_MS = 3
/** Milliseconds, more than a turn. */
const MANY_MS = 15

function work(): void {
  for (const begin = performance.now(); performance.now() - begin < BUSY_MS;);
}

it('begins a request that arrives after many others between them', async () => {
  const begun: string[] = []
  const server = createServer(
    scheduleRequests(({ url }, response) => {
      begun.push(url!)
      work()
      response.end()
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const ask = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', path, agent }, (response) => response.resume().on('end', resolve)).on(
        'error',
        reject,
      )
    })
  // The connections are open, so that all requests arrive together.
  await Promise.all(Array.from({ length: MANY + 1 }, () => ask('/open')))
  begun.length = 0
  const many = Array.from({ length: MANY }, (_, i) => ask(`/${i}`))
  await Promise.race(many)
  await Promise.all([...many, ask('/other')])
  expect(begun.indexOf('/other')).toBeLessThan(MANY)
  expect(begun.filter((url) => url !== '/other')).toHaveLength(MANY)
  expect(new Set(begun).size).toBe(MANY + 1)
})

it('begins each request once when another one waits because of it', async () => {
  const begun: number[] = []
  const sent = (n: number): [IncomingMessage, ServerResponse] => [{ n, socket: {} } as never, {} as never]
  const ask = scheduleRequests((request) => {
    const { n } = request as unknown as { n: number }
    begun.push(n)
    if (n === 1) for (const next of [2, 3]) ask(...sent(next))
    for (let i = 0; i < MANY_MS / BUSY_MS; i++) work()
  })
  for (const n of [0, 1]) ask(...sent(n))
  await expect.poll(() => begun).toEqual([0, 1, 2, 3])
})
