import { Agent, request } from 'node:http'

interface QuickRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

interface QuickAnswer {
  readonly status: number
  readonly headers: Headers
  /** The body; of a stream of events, which does not end, what came first. */
  readonly text: string
}

const agent = new Agent({ keepAlive: true })
/** What fetch sends, but for `accept-encoding`. */
const DEFAULTS = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }
/** Milliseconds in which the first lines of a stream are there. */
const FIRST_LINES_MS = 50

/** Like fetch with `redirect: 'manual'` and then `text()`, in a quarter of the CPU time. */
export function quickFetch(url: string, { method, headers, body }: QuickRequest): Promise<QuickAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<QuickAnswer>()
  const length = body !== null || ['POST', 'PUT', 'PATCH'].includes(method) ? Buffer.byteLength(body ?? '') : undefined
  const size = length === undefined ? {} : { 'content-length': length }
  const sent = request(url, { agent, method, headers: { ...DEFAULTS, ...size, ...headers } }, (answer) => {
    const parts: Buffer[] = []
    const received = new Headers()
    for (let at = 0; at < answer.rawHeaders.length; at += 2)
      received.append(answer.rawHeaders[at]!, answer.rawHeaders[at + 1]!)
    const isStream = received.get('content-type')?.startsWith('text/event-stream') === true
    const end = (): void => {
      // NOTE: as fetch does; test/delivery/notifications reads the body of a 205.
      const text = answer.statusCode === 205 ? '' : new TextDecoder().decode(Buffer.concat(parts))
      resolve({ status: answer.statusCode!, headers: received, text })
    }
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.once('end', end).once('error', (error) => (isStream ? end() : reject(error)))
    if (isStream) setTimeout(() => (answer.destroy(), end()), FIRST_LINES_MS)
  })
  sent.once('error', reject)
  sent.end(body ?? undefined)
  return promise
}
