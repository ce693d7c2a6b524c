import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createLogger } from '../platform/logger.ts'
import { connect as connectTls } from 'node:tls'
import { createAuthority } from '../../../test/harness/certificates.ts'
import { createHttpServer } from './http-server.ts'
import { parseCertificate } from './tls/certificate.ts'

const LIMIT = 10

const certificate = parseCertificate(await (await createAuthority()).issue())
const certificates = { current: () => certificate, onChange: () => {}, challenge: () => undefined }

it.each([
  ['HTTP', undefined],
  ['HTTPS', certificates],
])('%s: ends idle and silent connections when there are too many, and serves new ones again', async (_, source) => {
  const server = createHttpServer(
    ({ url }, response) => (url === '/slow' ? response.flushHeaders() : response.end('answered')),
    {
      receiveTimeoutMs: 60_000,
      maxConnections: LIMIT,
      certificates: source,
    },
    createLogger('silent'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const ended: Socket[] = []
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.on('close', () => ended.push(socket)).resume()
    await once(socket, 'connect')
    return socket
  }
  const encrypt = (socket: Socket): Socket =>
    source === undefined ? socket : connectTls({ socket, rejectUnauthorized: false }).on('error', () => {})
  const ask = async (plain: Socket): Promise<string> => {
    const socket = encrypt(plain)
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n`)
    const answered = once(socket, 'data').then(
      ([data]) => String(data),
      () => 'closed',
    )
    return Promise.race([
      answered,
      once(socket, 'close').then(
        () => 'closed',
        () => 'closed',
      ),
    ])
  }
  const idle = await open()
  expect(await ask(idle)).toContain('answered')
  const busy = await open()
  encrypt(busy).write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  const silent = await Promise.all(Array.from({ length: LIMIT - 2 }, open))
  expect(await ask(await open())).toBe('closed')
  await expect.poll(() => [idle, ...silent].every((socket) => ended.includes(socket))).toBe(true)
  expect(await ask(await open())).toContain('answered')
  expect(ended).not.toContain(busy)
})
