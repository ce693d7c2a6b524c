import { Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici'
import { OutgoingError } from './outgoing-error.ts'

/** Bytes to send, created again for every redirect that repeats the request. */
export interface OutgoingBody {
  /** Announced as Content-Length; sent in chunks when absent. */
  readonly size?: number
  open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>
}

export interface Exchange {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | OutgoingBody
  readonly maxRedirects?: number
  /** Milliseconds without a byte, while sending and while receiving. */
  readonly idle: number
  readonly signal: AbortSignal
}

/** An answer whose body has not been read; the caller reads or destroys it. */
export interface RawAnswer {
  readonly status: number
  /** Names in lower case; a header that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly stream: Dispatcher.ResponseData['body']
  /** The address that answered, after redirects. */
  readonly url: string
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * One request with its redirects; each is checked like the first address. Throws OutgoingError and what undici throws.
 */
export async function follow(agent: Agent, start: URL, request: Exchange): Promise<RawAnswer> {
  const { maxRedirects = 0 } = request
  let [url, current] = [start, request]
  for (let redirects = 0; ; redirects++) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new OutgoingError('redirects', `not an HTTP address: ${url.protocol}`)
    const answer = await exchange(agent, url, current)
    const location = answer.headers['location']
    if (maxRedirects === 0 || !REDIRECTS.has(answer.status) || location === undefined) return answer
    answer.stream.destroy()
    if (redirects >= maxRedirects || !URL.canParse(location, url))
      throw new OutgoingError('redirects', 'too many redirects')
    const next = new URL(location, url)
    current = redirected(current, answer.status, next.origin === url.origin)
    url = next
  }
}

/** Like browsers: 303, and a POST at 301 or 302, continue as GET; credentials never go to another origin. */
function redirected(request: Exchange, status: number, sameOrigin: boolean): Exchange {
  const { body, method = 'GET', ...rest } = request
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === 'POST')
  const dropped = new Set([
    ...(sameOrigin ? [] : ['authorization', 'cookie', 'private-token']),
    ...(becomesGet ? ['content-type', 'content-length'] : []),
  ])
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !dropped.has(name.toLowerCase())),
  )
  return { ...rest, headers, method: becomesGet ? 'GET' : method, ...(body !== undefined && !becomesGet && { body }) }
}

async function exchange(
  agent: Agent,
  url: URL,
  { method = 'GET', headers, body, idle, signal }: Exchange,
): Promise<RawAnswer> {
  const sent = await toSend(body)
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { ...headers, ...sent.headers },
      signal,
      headersTimeout: idle,
      bodyTimeout: idle,
      ...(sent.body !== undefined && { body: sent.body }),
    })
    // NOTE: a body that is destroyed says so by an event, which may no longer have a listener.
    answer.body.on('error', () => {})
    return { status: answer.statusCode, headers: joined(answer.headers), stream: answer.body, url: url.href }
  } catch (error) {
    if (sent.body instanceof Readable) sent.body.destroy()
    throw error
  }
}

async function toSend(
  body: Exchange['body'],
): Promise<{ readonly body?: string | Uint8Array | Readable; readonly headers?: Record<string, string> }> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return body === undefined ? {} : { body }
  const { size } = body
  const stream = Readable.from(await opened(body), { objectMode: false })
  return { body: stream, ...(size !== undefined && { headers: { 'content-length': String(size) } }) }
}

/** The body could not be read; not an error of the other server. */
export class BodyError extends Error {}

async function opened(body: OutgoingBody): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await body.open()
  } catch (error) {
    throw new BodyError('the body could not be opened', { cause: error })
  }
}

const joined = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
