import { DomainError, type ErrorKind, engineErrors } from '../platform/errors.ts'

/** Kinds of errors of the git layer. The domains translate them; no error contains a path of this machine. */
export type GitErrorKind =
  | 'missing' // an object, revision or path does not exist
  | 'ambiguous' // a short id matches several objects
  | 'no-repo' // the repository's directory does not exist
  | 'exists' // the repository already exists
  | 'wrong-type' // an object has another type than requested
  | 'path-conflict' // a file exists where a directory is needed, or the reverse
  | 'invalid' // git would not accept a name, id or path
  | 'too-large'
  | 'timeout'
  | 'aborted'
  | 'busy' // the repository is locked for too long
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
  | 'stale' // the ref does not have its expected old value
  | 'exists' // the ref to create exists
  | 'missing' // the ref to change does not exist
  | 'name-clash' // `a` conflicts with `a/b`
  | 'locked' // another writer has locked the ref

/** A ref did not have the value that the caller expected. The transaction changed nothing. */
export class RefConflictError extends Error {
  readonly ref: string
  readonly reason: RefConflictReason
  /** The actual value, if known. */
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
 * The errors that a caller's names can cause, by kind of error of the git layer; undefined for a bug or a broken disk.
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

/** Converts an error of the git layer to a domain error; returns other errors unchanged. */
export function fromGit(error: unknown): unknown {
  if (error instanceof RefConflictError) return engineErrors.refChanged(error.ref, error.reason)
  const kind = error instanceof GitError ? KINDS[error.kind] : undefined
  return kind === undefined ? error : new DomainError(kind, (error as GitError).message, undefined)
}
