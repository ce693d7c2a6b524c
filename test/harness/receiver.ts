import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a receiver of webhooks got. */
interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Time of `performance.now()` at which the first byte arrived. */
  readonly at: number
}

export interface Receiver {
  readonly url: string
  readonly got: readonly Received[]
  /** How requests are answered from now on; 200 at first. */
  answer(respond: (received: Received, response: ServerResponse) => void): void
  /** Resolves when that many requests have come; rejects after a while. */
  waitFor(count: number): Promise<readonly Received[]>
  close(): Promise<void>
}

const PATIENCE_MS = 20_000

/** A server on a free loopback port that keeps what it is sent. */
export async function startReceiver(
  make: (listener: Parameters<typeof createServer>[1]) => Server = (listener) => createServer({}, listener),
  scheme = 'http',
): Promise<Receiver> {
  const got: Received[] = []
  let respond = (_: Received, response: ServerResponse): void => void response.end('ok')
  const server = make(async (request, response) => {
    const at = performance.now()
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const received = { method: request.method!, path: request.url!, headers: request.headers, body, at }
    got.push(received)
    respond(received, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}/hook`,
    got,
    answer: (next) => (respond = next),
    async waitFor(count) {
      const end = performance.now() + PATIENCE_MS
      while (got.length < count) {
        if (performance.now() > end) throw new Error(`${got.length} of ${count} requests came`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return got
    },
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  }
}

/** The signature that `X-Hub-Signature-256` carries. */
export const signatureOf = (secret: string, text: string): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
