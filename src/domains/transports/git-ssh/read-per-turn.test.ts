import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { readOneChunkPerTurn } from './ssh-server.ts'

const SENT = 16 * 1024 * 1024

it('reads a client that sends without a pause one chunk in each turn of the event loop', async () => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = await once(listener, 'connection')
  readOneChunkPerTurn(socket)
  let received = 0
  let inTurn = 0
  let most = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    most = Math.max(most, ++inTurn)
  })
  client.write(Buffer.alloc(SENT))
  while (received < SENT) {
    inTurn = 0
    await new Promise(setImmediate)
  }
  expect(most).toBe(1)
  client.destroy()
  listener.close()
})
