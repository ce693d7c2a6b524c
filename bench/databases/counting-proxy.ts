import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What a client of PostgreSQL sent since the counts were last taken. */
export interface QueryCounts {
  /** Statements that were executed. */
  readonly queries: number
  /** Times that the client waited: queries that are under way at the same time wait once. */
  readonly roundTrips: number
  /** Statements that the server had to parse and analyse; a prepared one is parsed once per connection. */
  readonly parsed: number
}

export interface CountingProxy {
  /** The same database behind the proxy. */
  readonly url: string
  /** The counts so far, which start again at zero. */
  take(): QueryCounts
  close(): Promise<void>
}

const SYNC = 'S'
const SIMPLE_QUERY = 'Q'
const EXECUTE = 'E'
const PARSE = 'P'
const READY_FOR_QUERY = 'Z'

/** A server in this process that passes the protocol of PostgreSQL on and counts its messages. */
export async function openCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl)
  let counts = { queries: 0, roundTrips: 0, parsed: 0 }
  let waiting = 0
  const sent = (type: string): void => {
    if (type === EXECUTE || type === SIMPLE_QUERY) counts.queries++
    if (type === PARSE || type === SIMPLE_QUERY) counts.parsed++
    if ((type === SYNC || type === SIMPLE_QUERY) && waiting++ === 0) counts.roundTrips++
  }
  const received = (type: string): void => {
    if (type === READY_FOR_QUERY) waiting = Math.max(0, waiting - 1)
  }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    // The first message of a client has no type.
    pass(client, upstream, readMessages(sent, 0))
    pass(upstream, client, readMessages(received, 1))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    take() {
      const taken = counts
      counts = { queries: 0, roundTrips: 0, parsed: 0 }
      return taken
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function pass(from: Socket, to: Socket, read: (chunk: Buffer) => void): void {
  from.setNoDelay(true)
  from.on('data', (chunk: Buffer) => {
    read(chunk)
    to.write(chunk)
  })
  from.on('error', () => to.destroy())
  from.on('close', () => to.end())
}

const LENGTH_BYTES = 4

/** Calls `found` with the type of each message; `typeBytes` is 0 when the first message has no type. */
function readMessages(found: (type: string) => void, typeBytes: 0 | 1): (chunk: Buffer) => void {
  let header = Buffer.alloc(0)
  let headerBytes = typeBytes + LENGTH_BYTES
  let bodyLeft = 0
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (bodyLeft > 0) {
        const skipped = Math.min(bodyLeft, chunk.length - at)
        bodyLeft -= skipped
        at += skipped
        continue
      }
      const part = chunk.subarray(at, at + headerBytes - header.length)
      header = Buffer.concat([header, part])
      at += part.length
      if (header.length < headerBytes) return
      const isTyped = headerBytes > LENGTH_BYTES
      if (isTyped) found(String.fromCharCode(header[0]!))
      bodyLeft = header.readUInt32BE(isTyped ? 1 : 0) - LENGTH_BYTES
      header = Buffer.alloc(0)
      headerBytes = 1 + LENGTH_BYTES
    }
  }
}
