import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isGitError, RefConflictError, type RefConflictReason } from '../errors.ts'
import type { GitRepo } from '../repo.ts'
import type { RefMove } from './push-policy.ts'

const REASONS: Readonly<Record<RefConflictReason, string>> = {
  stale: 'the ref moved meanwhile, fetch first',
  exists: 'reference already exists',
  missing: 'reference does not exist',
  'name-clash': 'a ref with a conflicting name exists',
  locked: 'the ref is locked, try again',
}

/** NOTE: git holds a ref lock for milliseconds; one this old was left by a process that was killed. */
const STALE_LOCK_MS = 10_000

/** Moves all refs or none. Gives the reason for the client when nothing moved; `onError` gets what he must not see. */
export async function moveRefs(repo: GitRepo, moves: readonly RefMove[], onError: (error: unknown) => void): Promise<string | undefined> {
  const update = (): Promise<void> => repo.refs.update(moves.map((move) => ({ ref: move.ref, new: move.newOid, old: move.oldOid })))
  try {
    await update().catch(async (error: unknown) => {
      if (!isLocked(error) || !(await removeStaleLocks(repo.path, moves))) throw error
      await update()
    })
    return undefined
  } catch (error) {
    if (error instanceof RefConflictError) return REASONS[error.reason]
    if (isGitError(error) && /non-commit object/.test(error.message)) return 'a branch must point to a commit'
    onError(error)
    return 'failed to update ref'
  }
}

const isLocked = (error: unknown): boolean => error instanceof RefConflictError && error.reason === 'locked'

async function removeStaleLocks(path: string, moves: readonly RefMove[]): Promise<boolean> {
  let removed = false
  for (const name of [...moves.map((move) => move.ref), 'packed-refs']) {
    const lock = join(path, `${name}.lock`)
    const info = await stat(lock).catch(() => undefined)
    if (!info || performance.timeOrigin + performance.now() - info.mtimeMs < STALE_LOCK_MS) continue
    await rm(lock, { force: true })
    removed = true
  }
  return removed
}
