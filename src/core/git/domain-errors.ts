import { conflict, DomainError, type ErrorKind } from '../platform/errors.ts'
import { GitError, type GitErrorKind, RefConflictError } from './errors.ts'

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
