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
