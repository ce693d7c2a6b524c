import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createAuthority } from '../../harness/certificates.ts'
import { type Folder, temporaryFolder } from '../../harness/process.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { portOf, send } from './fixture.ts'

const MINUTE_MS = 60_000

interface World {
  readonly server: TestServer
  /** Requests for an account, which is where the ACME server misbehaves. */
  readonly asked: () => number
  ahead: number
  renew(): Promise<void>
}

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

/** A server, and an ACME server that answers requests for an account like this. */
async function openWorld(answer: RequestListener): Promise<World> {
  const folder: Folder = temporaryFolder()
  open.push(() => folder.remove())
  const authority = await createAuthority()
  const caFile = join(folder.path, 'ca.pem')
  writeFileSync(caFile, authority.pem)
  let asked = 0
  const acme = createServer(await authority.issue(), (request, response) => {
    const url = `https://localhost:${(acme.address() as { port: number }).port}`
    response.setHeader('replay-nonce', 'bm9uY2U')
    if (request.url === '/dir')
      return void response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ newNonce: `${url}/nonce`, newAccount: `${url}/account`, newOrder: `${url}/order` }))
    if (request.url !== '/account') return void response.end()
    asked++
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(acme, 'listening')
  open.push(() => {
    acme.closeAllConnections()
    acme.close()
  })
  const world = { ahead: 0 }
  const server = await startServer({
    clock: { now: () => Date.now() + world.ahead },
    settings: {
      'server.host': '127.0.0.1',
      'server.port': '0',
      'tls.acme': 'true',
      'tls.acme_domains': 'git.test',
      'tls.acme_directory': `https://localhost:${(acme.address() as { port: number }).port}/dir`,
      'tls.acme_ca_file': caFile,
      'tls.http_port': '0',
    },
  })
  open.push(() => server.close())
  const renew = async (): Promise<void> => {
    await server.app.schedule.run('renew_certificate')
    await server.drain()
  }
  return Object.assign(world, { server, asked: () => asked, renew })
}

const version = async ({ url }: TestServer): Promise<number> =>
  (await send(`https://127.0.0.1:${portOf(url)}/api/v1/version`, { rejectUnauthorized: false })).status

it.each<[string, RequestListener, RegExp]>([
  ['answers a page', (_, response) => response.writeHead(500).end('<html>'), /./],
  ['answers too much', (_, response) => response.end('x'.repeat(10 * 1024 * 1024)), /maxContentLength/],
  ['ends the connection', (request) => request.socket.destroy(), /hang up|ECONNRESET/],
])('an ACME server that %s is requested again later, and the reason is stored', async (_, answer, reason) => {
  const world = await openWorld(answer)
  await world.renew()
  const first = world.asked()
  expect(JSON.parse(readFileSync(join(world.server.dataDir, 'tls/state.json'), 'utf8'))).toMatchObject({
    failures: 1,
    reason: expect.stringMatching(reason),
  })
  world.ahead = 9 * MINUTE_MS
  await world.renew()
  expect([first > 0, world.asked()]).toEqual([true, first])
  world.ahead = 11 * MINUTE_MS
  await world.renew()
  expect(world.asked()).toBeGreaterThan(first)
  expect(await version(world.server)).toBe(200)
})

it.each([
  ['seconds', () => '86400', 24 * 60],
  ['a date', () => new Date(Date.now() + 3 * 60 * MINUTE_MS).toUTCString(), 3 * 60],
  ['seconds beyond a week', () => '999999999', 7 * 24 * 60],
])('an ACME server that limits the rate is requested again after the time of %s', async (_, after, minutes) => {
  const world = await openWorld((_request, response) =>
    response
      .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': after() })
      .end(JSON.stringify({ type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many new accounts' })),
  )
  await world.renew()
  const first = world.asked()
  expect(JSON.parse(readFileSync(join(world.server.dataDir, 'tls/state.json'), 'utf8'))).toMatchObject({
    failures: 1,
    reason: expect.stringContaining('too many new accounts'),
  })
  world.ahead = (minutes - 1) * MINUTE_MS
  await world.renew()
  expect([first > 0, world.asked()]).toEqual([true, first])
  world.ahead = (minutes + 1) * MINUTE_MS
  await world.renew()
  expect(world.asked()).toBeGreaterThan(first)
})

it('an ACME server that says nothing holds up neither requests nor the end of the server', async () => {
  const world = await openWorld(() => {})
  await world.server.app.schedule.run('renew_certificate')
  const renewing = world.server.drain().catch(() => undefined)
  await expect.poll(() => world.asked()).toBe(1)
  expect(await version(world.server)).toBe(200)
  const began = performance.now()
  await open.pop()!()
  expect(performance.now() - began).toBeLessThan(10_000)
  await renewing
})
