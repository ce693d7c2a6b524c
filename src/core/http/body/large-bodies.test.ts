import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../platform/logger.ts'
import { createRequestState } from '../request-state.ts'
import { LargeBodies, queueLargeBodies } from './large-bodies.ts'
import { limitReceiving } from './receive-timeout.ts'

const MIB = 1 << 20
const NEVER = 2 ** 30
let app: FastifyInstance
let sockets: Socket[] = []
let received = 0

interface Limits {
  readonly graceMs?: number
  readonly receiveMs?: number
}

async function start({ graceMs = NEVER, receiveMs = NEVER }: Limits): Promise<void> {
  app = fastify({ trustProxy: true })
  app.decorateRequest('state', null as never)
  app.addHook('onRequest', (request, _, done) => {
    const viewer = { kind: 'user', account: { id: request.headers['x-account'] } }
    request.state = { ...createRequestState(), authorized: { viewer } as never }
    request.state.match = { operation: { bodyLimit: 32 * MIB } } as never
    done()
  })
  limitReceiving(app, receiveMs, createLogger('silent'))
  queueLargeBodies(app, new LargeBodies({ graceMs, bytesPerSecond: 64 * 1024 }), 32 * MIB)
  app.addContentTypeParser('*', async (_: unknown, payload: NodeJS.ReadableStream) => {
    for await (const chunk of payload) received += chunk.length
    return 'whole'
  })
  app.post('/', async () => 'received')
  await app.listen({ port: 0, host: '127.0.0.1' })
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  received = 0
  await app.close()
})

interface Sending {
  readonly socket: Socket
  /** Status of the answer; undefined while there is none. */
  status: string | undefined
  /** Settles with the status when the connection ends. */
  readonly answered: Promise<string>
  finish(): void
}

/** Sends the head of a request and one byte of its body. */
function send(account: number, network: string): Sending {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  sockets.push(socket)
  const head = ['POST / HTTP/1.1', 'Host: x', 'Connection: close', `X-Account: ${account}`, 'Content-Type: a/b']
  socket.write(`${[...head, `X-Forwarded-For: ${network}`, `Content-Length: ${2 * MIB}`].join('\r\n')}\r\n\r\nx`)
  const answered = text(socket)
    .catch(() => '')
    .then((answer) => (sending.status = answer.slice(9, 12)))
  const sending: Sending = {
    socket,
    status: undefined,
    answered,
    finish: () => void socket.write(Buffer.alloc(2 * MIB - 1)),
  }
  return sending
}

/** Senders of one byte each, which have slots. */
async function slow(count: number, network: string, from = 0): Promise<Sending[]> {
  const before = received
  const all = Array.from({ length: count }, (_, index) => send(from + index, network))
  await expect.poll(() => received - before, { timeout: 20_000 }).toBe(count)
  return all
}

describe('large bodies', () => {
  it('that are slow leave slots for other accounts and addresses', async () => {
    await start({})
    const [first] = await slow(4, '192.0.2.1')
    const same = send(4, '192.0.2.1')
    const own = send(0, '192.0.2.2')
    const other = send(5, '192.0.2.2')
    for (const { finish } of [same, own, other]) finish()
    expect(await other.answered).toBe('200')
    expect([same.status, own.status]).toEqual([undefined, undefined])
    first!.finish()
    expect(await Promise.all([first!.answered, same.answered, own.answered])).toEqual(['200', '200', '200'])
  })

  it('that come too slowly lose their slot when others wait, and only then', async () => {
    await start({ graceMs: 40 })
    const before = await slow(4, '192.0.2.1')
    const more = await slow(4, '192.0.2.2', 4)
    for (let sent = 0; sent < 20; sent++) {
      const had = received
      before[0]!.socket.write('x')
      await expect.poll(() => received, { timeout: 20_000, interval: 5 }).toBe(had + 1)
    }
    expect([...before, ...more].map(({ status }) => status)).toEqual(Array.from({ length: 8 }))
    const waiting = send(8, '192.0.2.3')
    waiting.finish()
    expect(await waiting.answered).toBe('200')
    expect(await Promise.race([...before, ...more].map(({ answered }) => answered))).toBe('408')
  })

  it('have their time when they are read, however long they waited', async () => {
    await start({ receiveMs: 400 })
    const [first] = await slow(1, '192.0.2.1')
    const second = send(0, '192.0.2.1')
    second.finish()
    expect(await first!.answered).toBe('408')
    expect(await second.answered).toBe('200')
  })
})
