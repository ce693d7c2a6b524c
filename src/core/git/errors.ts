import { conflict, DomainError, type ErrorKind } from '../platform/errors.ts'

/**
 * What can go wrong below the git face. The domain turns these into its own errors; none carries a path of the machine.
 */
export type GitErrorKind =
  | 'missing' // an object, a revision or a path that is not there
  | 'ambiguous' // a short id with several objects
  | 'no-repo' // the repository's directory is gone
  | 'exists' // the repository is already there
  | 'wrong-type' // an object of another type than asked for
  | 'path-conflict' // a file where a directory is needed, or the reverse
  | 'invalid' // a name, id or path that git would not take
  | 'too-large'
  | 'timeout'
  | 'aborted'
  | 'busy' // the repository is locked for longer than a moment
  | 'corrupt'
  | 'failed' // git ended with an error

export class GitError extends Error {
  readonly kind: GitErrorKind

  constructor(kind: GitErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'GitError'
    this.kind = kind
  }
}

export type RefConflictReason =
  | 'stale' // the ref is not at the expected old value
  | 'exists' // it was to be created and is there
  | 'missing' // it was to be changed and is not there
  | 'name-clash' // `a` beside `a/b`
  | 'locked' // another writer has locked the ref

/** A ref did not move because it was not where the caller thought. Nothing of the transaction happened. */
export class RefConflictError extends Error {
  readonly ref: string
  readonly reason: RefConflictReason
  /** The value found, where it is known. */
  readonly actual: string | undefined

  constructor(ref: string, reason: RefConflictReason, actual?: string) {
    super(`${ref}: ${reason}`)
    this.name = 'RefConflictError'
    this.ref = ref
    this.reason = reason
    this.actual = actual
  }
}

export function isGitError(error: unknown, kind?: GitErrorKind): error is GitError {
  return error instanceof GitError && (kind === undefined || error.kind === kind)
}

/**
 * What an error of the git layer means to a caller who asked for something by name; undefined is a bug or a broken
 * disk.
 */
const KINDS: Readonly<Partial<Record<GitErrorKind, ErrorKind>>> = {
  missing: 'not-found',
  ambiguous: 'not-found',
  'wrong-type': 'not-found',
  exists: 'conflict',
  'path-conflict': 'invalid',
  invalid: 'invalid',
  'too-large': 'too-large',
  timeout: 'unavailable',
  aborted: 'unavailable',
  busy: 'unavailable',
  'no-repo': 'unavailable',
  corrupt: 'unavailable',
}

/** The domain error for an error of the git layer; anything else unchanged. */
export function fromGit(error: unknown): unknown {
  if (error instanceof RefConflictError)
    return conflict(`the ref ${error.ref} was changed by someone else (${error.reason})`)
  const kind = error instanceof GitError ? KINDS[error.kind] : undefined
  return kind === undefined ? error : new DomainError(kind, (error as GitError).message, undefined)
}

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>

/** The same service with errors of the git layer turned into domain errors. */
export function translated<T extends object>(service: T): T {
  const wrap =
    (method: (...args: never[]) => unknown) =>
    async (...args: never[]) => {
      try {
        return await method(...args)
      } catch (error) {
        throw fromGit(error)
      }
    }
  return Object.fromEntries(
    Object.entries(service as unknown as Methods).map(([name, method]) => [name, wrap(method)]),
  ) as T
}
