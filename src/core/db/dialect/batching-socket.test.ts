import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { BatchingSocket } from './batching-socket.ts'

it('sends by one write what is written in one turn of the event loop', async () => {
  const server = createServer((client) => client.pipe(client)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = new BatchingSocket()
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const together = vi.spyOn(socket, '_writev')
  const alone = vi.spyOn(socket, '_write')
  for (const text of ['one ', 'two ', 'three']) {
    socket.write(text)
    await Promise.resolve()
  }
  expect(String((await once(socket, 'data'))[0])).toBe('one two three')
  await nextTurn()
  expect([together.mock.calls.length, alone.mock.calls.length]).toEqual([1, 0])
  socket.destroy()
  server.close()
})
