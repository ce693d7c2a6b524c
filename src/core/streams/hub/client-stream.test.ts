import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { ClientStream } from './client-stream.ts'

it('is drained whenever a client reads on, however often it has been full', async () => {
  const stream = new ClientStream(1000)
  let received = 0
  const client = new Writable({
    highWaterMark: 1,
    write(bytes: Buffer, _, done) {
      received += bytes.length
      setImmediate(done)
    },
  })
  stream.pipe(client)
  for (let n = 0; n < 50; n++) {
    for (let m = 0; m < 4; m++) stream.write(Buffer.alloc(200))
    await stream.drained()
    expect(stream.readableLength).toBeLessThanOrEqual(500)
  }
  stream.end('')
  await new Promise((resolve) => client.once('finish', resolve))
  expect(received).toBe(50 * 4 * 200)
})
