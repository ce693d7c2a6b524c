import { DomainError, MovedError, type ErrorKind } from '../platform/errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../platform/out-of-space.ts'
import type { Answer } from './answer.ts'

/** The one table from what went wrong to what HTTP says (reference auth-and-access §11). */
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

/** Status and body of an expected error; undefined for a bug. `docsUrl` is the constant `url` member. */
export function answerError(error: unknown, docsUrl: string, requestPath: string): Answer | undefined {
  if (error instanceof MovedError) return { status: error.what === 'repo' ? 301 : 307, headers: { location: movedLocation(error, requestPath) } }
  if (error instanceof DomainError && error.kind !== 'moved') {
    const status = STATUS[error.kind]
    if (status === 404) return { status, body: {}, headers: { 'x-ingot-reason': headerText(error.message) } }
    const retry: Record<string, string> = status === 429 || status === 503 ? { 'retry-after': '5' } : {}
    return { status, body: { message: error.message, url: docsUrl, ...error.members }, headers: retry }
  }
  if (isOutOfSpace(error)) return { status: 507, body: { message: OUT_OF_SPACE, url: docsUrl } }
  return fastifyError(error, docsUrl)
}

/** Errors of the HTTP layer itself: bodies too large, broken encodings. */
function fastifyError(error: unknown, docsUrl: string): Answer | undefined {
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { status: 413, body: { message: 'request body is too large', url: docsUrl } }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return { status: statusCode, body: { message: (error as Error).message, url: docsUrl } }
  return undefined
}

/** Replaces the old name in the path by the new one; host-relative, query kept. */
function movedLocation(error: MovedError, requestPath: string): string {
  const [path, query] = requestPath.split(/\?(.*)/s) as [string, string | undefined]
  const from = error.from.split('/').map((part) => part.toLowerCase())
  const segments = path.split('/')
  const start = segments.findIndex((_, index) => from.every((part, offset) => decode(segments[index + offset] ?? '').toLowerCase() === part))
  if (start >= 0) segments.splice(start, from.length, ...error.to.split('/').map(encodeURIComponent))
  return segments.join('/') + (query === undefined ? '' : `?${query}`)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const headerText = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)
