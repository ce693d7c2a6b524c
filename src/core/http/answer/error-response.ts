import { DomainError, type ErrorKind, MovedError, TooManyRequestsError } from '../../platform/errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../../platform/files/out-of-space.ts'
import type { Answer } from './answer.ts'
import type { PathPattern } from '../path/path.ts'

/** The one table from what went wrong to what HTTP says (behaviour/auth-and-access#error-bodies). */
const STATUS: Record<Exclude<ErrorKind, 'moved'>, number> = {
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
}

/** Seconds, where the error does not say. */
const RETRY_AFTER = 5

export interface FailedRequest {
  /** The constant `url` member of bodies. */
  readonly docs: string
  readonly rootUrl: string
  readonly url: string
  /** The path that the request was understood by; undefined when it came to none. */
  readonly pattern: PathPattern | undefined
}

/** Status and body of an expected error; undefined for a bug. */
export function answerError(error: unknown, request: FailedRequest): Answer | undefined {
  if (error instanceof MovedError) {
    const location = movedLocation(error, request)
    return location === undefined
      ? missing(error.message)
      : { status: error.what === 'owner' ? 307 : 301, headers: { location } }
  }
  if (error instanceof DomainError && error.kind !== 'moved') {
    const status = STATUS[error.kind]
    if (status === 404) return missing(error.message)
    const seconds = error instanceof TooManyRequestsError ? error.retryAfter : RETRY_AFTER
    const retry: Record<string, string> = status === 429 || status === 503 ? { 'retry-after': String(seconds) } : {}
    return { status, body: { message: error.message, url: request.docs, ...error.members }, headers: retry }
  }
  if (isOutOfSpace(error)) return { status: 507, body: { message: OUT_OF_SPACE, url: request.docs } }
  return fastifyError(error, request.docs)
}

/** Errors of the HTTP layer itself: bodies too large, broken encodings. */
function fastifyError(error: unknown, docsUrl: string): Answer | undefined {
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return { status: 413, body: { message: 'request body is too large', url: docsUrl } }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, body: { message: (error as Error).message, url: docsUrl } }
  return undefined
}

const missing = (reason: string): Answer => ({
  status: 404,
  body: {},
  headers: { 'x-ingot-reason': headerText(reason) },
})

/**
 * The path with the new name in the place of the old one, without a host, query kept; undefined when the name was not
 * in the path but in a body or within a segment.
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

/** Of `/api/v1/`. */
const PREFIX_SEGMENTS = 3

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const headerText = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)
