import { setTimeout as sleep } from 'node:timers/promises'
import { isDomainError } from '../platform/errors.ts'
import { isOutOfSpace } from '../platform/files/out-of-space.ts'

/** So short that an outcome is recorded before other processes look for leases that ran out meanwhile. */
const PAUSE_MS = 100

/** The database or the storage cannot be reached, or the disk takes no more: the same work succeeds once that is over. */
export const isOutage = (error: unknown): boolean => isDomainError(error, 'unavailable') || isOutOfSpace(error)

/**
 * Runs `work` again until the database can be reached and has room: for what came of work that must not be done twice. `work` must
 * have the same effect twice, because a commit may have gone through whose answer was lost. Once `signal` is aborted
 * it throws what `work` throws.
 */
export async function whenBack<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !isOutage(error)) throw error
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
    }
  }
}
