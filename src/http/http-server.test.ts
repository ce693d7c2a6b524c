import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createLogger } from '../platform/logger.ts'
import { createHttpServer } from './http-server.ts'

const LIMIT = 10

it('ends idle and silent connections when there are too many, and serves new ones again', async () => {
  const server = createHttpServer(
    (_, response) => response.end('answered'),
    {
      receiveTimeoutMs: 60_000,
      maxConnections: LIMIT,
    },
    createLogger('silent'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => {
    clock.mockRestore()
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
  const ask = async (socket: Socket, path = '/'): Promise<string> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
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
  const silent = await Promise.all(Array.from({ length: LIMIT - 1 }, open))
  expect(await ask(await open())).toBe('closed')
  await expect.poll(() => ended).toContain(idle)
  expect(ended).not.toContain(silent[0])
  expect(await ask(silent[0]!)).toContain('answered')
  await open()
  const later = performance.now() + 6000
  clock.mockImplementation(() => later)
  expect(await ask(await open())).toBe('closed')
  await expect.poll(() => silent.filter((socket) => ended.includes(socket))).toHaveLength(LIMIT - 1)
  expect(await ask(await open())).toContain('answered')
})
