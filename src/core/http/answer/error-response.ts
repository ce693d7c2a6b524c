import findMyWay from 'find-my-way'
import { DomainError, type ErrorKind, MovedError, TooManyRequestsError, engineErrors } from '../../platform/errors.ts'
import { isOutOfSpace } from '../../platform/files/out-of-space.ts'
import type { ApiResponse } from './answer.ts'
import type { PathPattern } from '../path/path.ts'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addCorsHeaders, answerPreflight, type CorsSettings, isPreflight } from '../cors.ts'
import type { Route } from '../routes.ts'
import { API_PREFIX } from '../module-plugin.ts'

/** The table from error kinds to HTTP statuses (behaviour/auth-and-access#error-bodies). */
export const STATUS: Record<Exclude<ErrorKind, 'moved'>, number> = {
  'bad-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  conflict: 409,
  invalid: 422,
  locked: 423,
  'too-large': 413,
  'quota-exceeded': 413,
  precondition: 412,
  'too-many-requests': 429,
  unavailable: 503,
  'headers-timeout': 408,
  'headers-too-large': 431,
  'internal-error': 500,
  'out-of-space': 507,
}

/** The header of the stable code of an error (behaviour/errors#errors). */
const REASON = 'x-ingot-reason'

/** Bytes of the request line and all headers of a request. */
export const HEADER_BYTES = 16 * 1024

/** Errors of the answer, by the code of the error that Node's parser has thrown. */
const REFUSALS: Readonly<Record<string, () => DomainError>> = {
  HPE_HEADER_OVERFLOW: () => engineErrors.headersTooLarge(HEADER_BYTES),
  ERR_HTTP_REQUEST_TIMEOUT: engineErrors.headersTimeout,
}

/** Seconds; the default if the error has no value. */
const RETRY_AFTER = 5

export interface FailedRequest {
  /** The constant `url` member of bodies. */
  readonly docs: string
  readonly rootUrl: string
  readonly url: string
  /** The path that the request was understood by; undefined when it came to none. */
  readonly pattern: PathPattern | undefined
}

/** Returns status and body of an expected error; undefined for a bug. */
export function answerError(error: unknown, request: FailedRequest): ApiResponse | undefined {
  if (error instanceof MovedError) {
    const location = movedLocation(error, request)
    return location === undefined
      ? missing(error.message)
      : { status: error.what === 'owner' ? 307 : 301, headers: { location } }
  }
  if (error instanceof DomainError && error.kind !== 'moved') {
    const status = STATUS[error.kind]
    if (status === 404) return missing(error.message, error.code)
    const seconds = error instanceof TooManyRequestsError ? error.retryAfter : RETRY_AFTER
    const retry = status === 429 || status === 503 ? { 'retry-after': String(seconds) } : {}
    return {
      status,
      body: { message: error.message, url: request.docs, ...error.members },
      headers: { ...retry, [REASON]: error.code },
    }
  }
  if (isOutOfSpace(error)) return failure(engineErrors.outOfSpace(), request.docs)
  return fastifyError(error, request.docs)
}

/** Errors of the HTTP layer itself: bodies too large, broken encodings. */
function fastifyError(error: unknown, docsUrl: string): ApiResponse | undefined {
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return failure(engineErrors.requestTooLarge(), docsUrl)
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return undefined
  return failure(engineErrors.requestRefused((error as Error).message), docsUrl, statusCode)
}

/** The response to an error of the HTTP layer. `status`: instead of the status of its kind. */
export const failure = (error: DomainError, docsUrl: string, status = statusOf(error)): ApiResponse => ({
  status,
  body: { message: error.message, url: docsUrl },
  headers: { [REASON]: error.code },
})

const statusOf = ({ kind }: DomainError): number => STATUS[kind as keyof typeof STATUS]

/** The body of a 404 has no members, so that its message is in a header. */
const missing = (message: string, code = 'not_found'): ApiResponse => ({
  status: 404,
  body: {},
  headers: { [REASON]: code, 'x-ingot-message': headerText(message) },
})

/**
 * The path with the new name in the place of the old one, without a host, query kept; undefined if the name was not in
 * the path but in a body or within a segment.
 */
function movedLocation(error: MovedError, { url, rootUrl, pattern }: FailedRequest): string | undefined {
  const [path, query] = url.split(/\?(.*)/s) as [string, string | undefined]
  const from = error.from.split('/').map((part) => part.toLowerCase())
  const segments = path.split('/')
  const isOld = (index: number): boolean =>
    from.every(
      (part, offset) =>
        (error.what === 'issue' || pattern!.isParameter(index + offset - PREFIX_SEGMENTS)) &&
        decode(segments[index + offset] ?? '').toLowerCase() === part,
    )
  const start = pattern === undefined ? -1 : segments.findIndex((_, index) => index >= PREFIX_SEGMENTS && isOld(index))
  if (start < 0) return undefined
  segments.splice(start, from.length, ...error.to.split('/').map(encodeURIComponent))
  return new URL(rootUrl).pathname.replace(/\/$/, '') + segments.join('/') + (query === undefined ? '' : `?${query}`)
}

/** Number of segments of `/api/v1/`. */
const PREFIX_SEGMENTS = 3

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const headerText = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)

/** Answers requests that Node's parser refuses, and closes the connection. */
export function answerClientError({ code }: { readonly code?: string }, socket: Socket, docsUrl: string): void {
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const error = (REFUSALS[code ?? ''] ?? engineErrors.notHttp)()
  const status = statusOf(error)
  const body = `${JSON.stringify({ message: error.message, url: docsUrl })}\n`
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json;charset=utf-8',
      `X-Ingot-Reason: ${error.code}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  )
}

export interface NotFoundOptions {
  readonly routes: readonly Route[]
  readonly cors: CorsSettings | undefined
  /** The setting of the server's router. */
  readonly maxParamLength: number
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Unknown paths: preflights, then 405 where another method would have matched, then 404: below /api as every 404 of the
 * API, elsewhere as plain text (behaviour/auth-and-access#request-pipeline).
 */
export function notFoundHandler(options: NotFoundOptions): Handler {
  const { cors } = options
  const methodsOf = methodFinder(options)
  return (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const isApi = path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
    if (cors && isApi && isPreflight(request)) return answerPreflight(cors, request, reply)
    if (cors && isApi) addCorsHeaders(cors, request, reply)
    const allowed = isApi ? methodsOf(path.slice(API_PREFIX.length)) : []
    reply.header('x-content-type-options', 'nosniff')
    if (allowed.length > 0)
      return reply.code(405).header('allow', allowed).header(REASON, engineErrors.methodNotAllowed().code).send()
    if (path === '/api' || path.startsWith('/api/')) throw engineErrors.pathNotFound()
    return reply.code(404).type('text/plain;charset=utf-8').send('404 page not found\n')
  }
}

/** The methods of a path; the second router is created at the first miss. */
function methodFinder({ routes, maxParamLength }: NotFoundOptions): (path: string) => string[] {
  let router: ReturnType<typeof findMyWay> | undefined
  const methods = [...new Set(routes.map((route) => route.method))]
  return (path) => {
    if (router === undefined) {
      router = findMyWay({ ignoreTrailingSlash: true, maxParamLength })
      for (const route of routes) router.on(route.method as 'GET', route.routerPath, () => {}, route)
    }
    return methods.filter((method) => {
      const found = router!.find(method as 'GET', path)
      const route = found?.store as Route | undefined
      return (
        route?.candidates.some(({ pattern }) => pattern.match(found!.params as Record<string, string>) !== undefined) ??
        false
      )
    })
  }
}
