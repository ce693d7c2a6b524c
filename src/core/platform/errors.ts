import { OUT_OF_SPACE } from './files/out-of-space.ts'

/**
 * Errors of the domain, independent of HTTP. `http/answer/error-response.ts` maps each kind to a status.
 * Anything thrown that is not a DomainError is a bug.
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
  | 'headers-timeout'
  | 'headers-too-large'
  | 'internal-error'
  | 'out-of-space'
  | 'moved'

export class DomainError extends Error {
  readonly kind: ErrorKind
  /**
   * In X-Ingot-Reason. It never changes, while the message may; the kind when the catalogue does not name the error.
   */
  readonly code: string
  /** Further body members for the few errors that have them (invalid topics, quota). */
  readonly members: Readonly<Record<string, unknown>> | undefined

  constructor(kind: ErrorKind, message: string, members?: Readonly<Record<string, unknown>>, code = defaultCode(kind)) {
    super(message)
    this.name = 'DomainError'
    this.kind = kind
    this.members = members
    this.code = code
  }

  /** The same error with further members of the body. */
  with(members: Readonly<Record<string, unknown>>): DomainError {
    return new DomainError(this.kind, this.message, members, this.code)
  }

  /** The cause goes to the log. */
  causedBy(cause: unknown): this {
    return Object.assign(this, { cause })
  }
}

/** The code of errors that the catalogue does not name, such as `not_found`. */
export const defaultCode = (kind: ErrorKind): string => kind.replaceAll('-', '_')

/** The kind and the message, in which `{name}` stands for an argument. */
type Definition = readonly [kind: ErrorKind, message: string]

/** One argument for each `{name}` of the message. */
type Arguments<Message extends string> = Message extends `${string}{${string}}${infer Rest}`
  ? [value: string | number, ...Arguments<Rest>]
  : []

export interface ErrorEntry {
  readonly code: string
  readonly kind: ErrorKind
  readonly message: string
}

type Catalogue<D extends Readonly<Record<string, Definition>>> = {
  readonly [Name in keyof D]: ((...values: Arguments<D[Name][1]>) => DomainError) & ErrorEntry
}

/** A function for each definition, which creates the error; its code is the name in snake case. */
export function defineErrors<const D extends Readonly<Record<string, Definition>>>(definitions: D): Catalogue<D> {
  const define = ([name, [kind, message]]: [string, Definition]) => {
    const code = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const create = (...values: readonly (string | number)[]): DomainError => {
      let index = 0
      return new DomainError(
        kind,
        message.replaceAll(/\{\w+\}/g, () => String(values[index++])),
        undefined,
        code,
      )
    }
    return [name, Object.assign(create, { code, kind, message })]
  }
  return Object.fromEntries(Object.entries(definitions).map(define)) as Catalogue<D>
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
    super('too-many-requests', message, undefined, 'rate_limited')
    this.retryAfter = retryAfter
  }
}

/** Errors of the engines; those of the domains are in `domains/errors.ts`. */
export const engineErrors = defineErrors({
  tokenRequired: ['unauthenticated', 'token is required'],
  authRequired: ['unauthenticated', 'auth required'],
  siteAdminRequired: ['forbidden', 'user should be the site admin'],
  tokenScopeMissing: [
    'forbidden',
    'token does not have at least one of required scope(s), required=[{required}], token scope={scopes}',
  ],
  tokenRestricted: ['forbidden', 'this token is restricted to repositories and may do this in none of them'],
  signInRequired: ['forbidden', 'Only signed in user is allowed to call APIs.'],
  accountProhibited: [
    'forbidden',
    'This account is prohibited from signing in, please contact your site administrator.',
  ],
  passwordChangeRequired: ['forbidden', 'You must change your password. Change it at: {url}'],
  sudoAdminRequired: ['forbidden', 'Only administrators allowed to sudo.'],
  sudoTokenRestricted: ['forbidden', 'A token restricted to repositories cannot use sudo.'],
  sudoUserNotFound: ['not-found', 'sudo: user does not exist'],
  pathNotFound: ['not-found', 'no such path'],
  invalidField: ['invalid', '[{field}]: {rule}'],
  fieldRequired: ['invalid', '[{field}]: Required'],
  fieldTooLong: ['invalid', '[{field}]: MaxSize (at most {limit} {unit})'],
  fieldNotRefName: ['invalid', '[{field}]: GitRefName'],
  contentTypeUnsupported: ['invalid', '[]: Unsupported Content-Type'],
  contentTypeMissing: ['invalid', '[]: Empty Content-Type'],
  jsonInvalid: ['invalid', '[]: {problem}'],
  bodyTooLarge: ['too-large', 'the request body is larger than {bytes} bytes'],
  uploadTooLarge: ['too-large', 'the upload is larger than {bytes} bytes'],
  tooManyWaiting: ['too-many-requests', 'too many {what}, try again later'],
  settingsFileUnreadable: ['invalid', 'cannot read {file}: {problem}'],
  directoryNotEmpty: ['conflict', '{directory} is not empty'],
  changedConcurrently: ['conflict', 'another request changed the same object concurrently: try again'],
  deletedConcurrently: ['conflict', 'what this refers to was deleted at the same time'],
  refNotFound: ['not-found', 'ref {ref} does not exist'],
  refChanged: ['conflict', 'the ref {ref} was changed by someone else ({reason})'],
  databaseUnreachable: ['unavailable', 'the database cannot be reached'],
  databaseBusy: ['unavailable', 'the database is busy'],
  databaseTooSlow: ['unavailable', 'the database took too long'],
  serverStopping: ['unavailable', 'the server is stopping'],
  notHttp: ['bad-request', 'the request is not valid HTTP'],
  requestRefused: ['bad-request', '{problem}'],
  methodNotAllowed: ['not-allowed', ''],
  headersTimeout: ['headers-timeout', 'the headers did not arrive in time'],
  requestTooLarge: ['too-large', 'request body is too large'],
  headersTooLarge: ['headers-too-large', 'the request line and the headers are larger than {bytes} bytes'],
  internalError: ['internal-error', ''],
  outOfSpace: ['out-of-space', OUT_OF_SPACE],
})

export const { invalidField } = engineErrors

/** A text or a list that is longer than the field takes. */
export const oversize = (field: string, limit: number, unit: 'characters' | 'items'): DomainError =>
  engineErrors.fieldTooLong(field, limit, unit)

/*
 * Errors with a message that is used once, and the code of their kind. An error that occurs twice, or that a client has
 * a reason to distinguish, is in the catalogue.
 */

/**
 * `reason` goes to the log and to X-Ingot-Message, never to the body; it must not contain facts that the requester may
 * not learn.
 */
export const notFound = (reason: string): DomainError => new DomainError('not-found', reason)
export const unauthenticated = (message: string): DomainError => new DomainError('unauthenticated', message)
export const forbidden = (message: string): DomainError => new DomainError('forbidden', message)
/** An operation that this kind of object does not support for any requester. */
export const notAllowed = (message: string): DomainError => new DomainError('not-allowed', message)
export const conflict = (message: string): DomainError => new DomainError('conflict', message)
export const badRequest = (message: string): DomainError => new DomainError('bad-request', message)
export const locked = (message: string): DomainError => new DomainError('locked', message)
export const tooLarge = (message: string): DomainError => new DomainError('too-large', message)
export const unavailable = (message: string): DomainError => new DomainError('unavailable', message)
/** A value that cannot be accepted, said in a sentence of its own. */
export const invalid = (message: string): DomainError => new DomainError('invalid', message)

export function isDomainError(error: unknown, kind?: ErrorKind): error is DomainError {
  return error instanceof DomainError && (kind === undefined || error.kind === kind)
}
