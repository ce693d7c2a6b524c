/**
 * What can go wrong in the domain, independent of HTTP. `api/error-response.ts` maps each kind to a
 * status. Anything thrown that is not a DomainError is a bug.
 */
export type ErrorKind =
  | 'bad-request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'not-allowed'
  | 'conflict'
  | 'invalid'
  | 'locked'
  | 'too-large'
  | 'quota-exceeded'
  | 'precondition'
  | 'too-many-requests'
  | 'unavailable'
  | 'moved'

export class DomainError extends Error {
  readonly kind: ErrorKind
  /** Further body members for the few errors that have them (invalid topics, quota). */
  readonly members: Readonly<Record<string, unknown>> | undefined

  constructor(kind: ErrorKind, message: string, members?: Readonly<Record<string, unknown>>) {
    super(message)
    this.name = 'DomainError'
    this.kind = kind
    this.members = members
  }
}

/**
 * The path of a renamed thing: 301 for repositories, 307 for owners (behaviour/auth-and-access#response-conventions).
 */
export class MovedError extends DomainError {
  readonly what: 'repo' | 'owner' | 'issue'
  readonly from: string
  readonly to: string

  constructor(what: MovedError['what'], from: string, to: string) {
    super('moved', `${from} is now ${to}`)
    this.what = what
    this.from = from
    this.to = to
  }
}

/** Too many requests, with the seconds after which another one is answered. */
export class TooManyRequestsError extends DomainError {
  readonly retryAfter: number

  constructor(message: string, retryAfter: number) {
    super('too-many-requests', message)
    this.retryAfter = retryAfter
  }
}

/** `reason` goes to the log and to X-Ingot-Reason, never to the body; keep it free of what the caller may not know. */
export const notFound = (reason: string): DomainError => new DomainError('not-found', reason)
export const unauthenticated = (message = 'token is required'): DomainError =>
  new DomainError('unauthenticated', message)
export const forbidden = (message: string): DomainError => new DomainError('forbidden', message)
/** What this kind of thing does not do at all, for any caller. */
export const notAllowed = (message: string): DomainError => new DomainError('not-allowed', message)
export const conflict = (message: string): DomainError => new DomainError('conflict', message)
export const badRequest = (message: string): DomainError => new DomainError('bad-request', message)
export const locked = (message: string): DomainError => new DomainError('locked', message)
export const tooLarge = (message: string): DomainError => new DomainError('too-large', message)
/** `cause` goes to the log. */
export const unavailable = (message: string, cause?: unknown): DomainError =>
  Object.assign(new DomainError('unavailable', message), cause === undefined ? {} : { cause })

/** A value that cannot be accepted, said in a sentence of its own. */
export const invalid = (message: string): DomainError => new DomainError('invalid', message)

/**
 * A field that breaks a rule, in the contract's form `[FieldName]: Rule` (behaviour/auth-and-access#request-decoding).
 */
export const invalidField = (field: string, rule: string): DomainError =>
  new DomainError('invalid', `[${field}]: ${rule}`)

/** A text or a list that is longer than the field takes. */
export const oversize = (field: string, limit: number, unit: 'characters' | 'items'): DomainError =>
  invalidField(field, `MaxSize (at most ${limit} ${unit})`)

export function isDomainError(error: unknown, kind?: ErrorKind): error is DomainError {
  return error instanceof DomainError && (kind === undefined || error.kind === kind)
}
