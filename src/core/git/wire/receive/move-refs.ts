import { isDomainError } from '../../../platform/errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../../../platform/files/out-of-space.ts'
import type { RefMover } from '../../engine/refs/ref-transaction.ts'
import { isGitError, RefConflictError, type RefConflictReason } from '../../errors.ts'
import type { GitRepo } from '../../repo.ts'
import type { RefMove } from './push-policy.ts'

const REASONS: Readonly<Record<RefConflictReason, string>> = {
  stale: 'the ref moved meanwhile, fetch first',
  exists: 'reference already exists',
  missing: 'reference does not exist',
  'name-clash': 'a ref with a conflicting name exists',
  locked: 'the ref is locked, try again',
}

export const NO_COMMIT = 'a branch must point to a commit'

export interface MoveRefsOptions {
  readonly mover: RefMover | undefined
  onError(error: unknown): void
}

/** Moves all refs or none. Gives the reason for the client when nothing moved; `onError` gets what he must not see. */
export async function moveRefs(
  repo: GitRepo,
  moves: readonly RefMove[],
  { mover, onError }: MoveRefsOptions,
): Promise<string | undefined> {
  try {
    await repo.refs.update(
      moves.map((move) => ({ ref: move.ref, new: move.newOid, old: move.oldOid })),
      mover,
    )
    return undefined
  } catch (error) {
    if (error instanceof RefConflictError) return REASONS[error.reason]
    if (isGitError(error) && /non-commit object/.test(error.message)) return NO_COMMIT
    onError(error)
    // The lock was lost to another server.
    if (isDomainError(error, 'unavailable')) return error.message
    if (isOutOfSpace(error)) return OUT_OF_SPACE
    return 'failed to update ref'
  }
}
