import { connect as connectPlain } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { certificateFolder, type CertificateFolder, handshake, portOf } from './fixture.ts'

let folder: CertificateFolder
let server: TestServer
beforeAll(async () => {
  folder = await certificateFolder()
  server = await startServer({ settings: folder.settings, tuning: { http: { receiveTimeoutMs: 1000 } } })
})
afterAll(async () => {
  await server.close()
  folder.remove()
})

const open = async (): Promise<TLSSocket> =>
  (await handshake(server.url, { ca: folder.authority.pem })).on('error', () => {})

it('ends a connection whose headers do not arrive in time', async () => {
  const socket = await open()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /)
})

it('ends a connection whose body does not arrive in time', async () => {
  const socket = await open()
  const { world } = server
  const token = await (await world.user('alice')).token('all')
  socket.write(
    `POST /api/v1/user/repos HTTP/1.1\r\nHost: a\r\nAuthorization: token ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  )
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /)
})

it('ends a connection with more than a thousand requests that wait', async () => {
  const socket = await open()
  socket.write('GET /api/v1/version HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5000))
  const answers = await text(socket).catch(() => '')
  expect(answers.split('HTTP/1.1 200').length).toBeLessThan(4000)
})

it('a stopping server does not wait for handshakes', async () => {
  const stopping = await startServer({ settings: folder.settings })
  const silent = connectPlain(portOf(stopping.url), '127.0.0.1').on('error', () => {})
  await once(silent, 'connect')
  await handshake(stopping.url, { ca: folder.authority.pem }) // accepted after the other one
  const began = performance.now()
  await stopping.close()
  expect(performance.now() - began).toBeLessThan(5000)
})
