import { errors } from '../../../errors.ts'
import { DomainError, type ErrorKind } from '../../../../core/platform/errors.ts'

/** The codes of the Connect protocol that the server answers, with their HTTP statuses. */
const STATUS = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  already_exists: 409,
  resource_exhausted: 429,
  internal: 500,
  unavailable: 503,
} as const
type Code = keyof typeof STATUS

const CODES: Readonly<Partial<Record<ErrorKind, Code>>> = {
  'bad-request': 'invalid_argument',
  invalid: 'invalid_argument',
  unauthenticated: 'unauthenticated',
  forbidden: 'permission_denied',
  'not-found': 'not_found',
  conflict: 'already_exists',
  'too-large': 'resource_exhausted',
  'too-many-requests': 'resource_exhausted',
  'out-of-space': 'unavailable',
  unavailable: 'unavailable',
}

export interface RpcFailure {
  readonly status: number
  readonly body: { readonly code: Code; readonly message: string }
}

/** An error as an answer of the Connect protocol; `isExpected` is false for bugs, whose text is not sent. */
export function toRpcFailure(error: unknown): RpcFailure & { readonly isExpected: boolean } {
  if (isGzipError(error)) return toRpcFailure(errors.bodyNotGzip())
  const code = (error instanceof DomainError && CODES[error.kind]) || 'internal'
  const message = error instanceof DomainError ? error.message : 'internal error'
  return { status: STATUS[code], body: { code, message }, isExpected: code !== 'internal' }
}

const isGzipError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
