import { setTimeout as sleep } from 'node:timers/promises'
import { isDomainError } from '../platform/errors.ts'
import { isOutOfSpace } from '../platform/files/out-of-space.ts'

/** Short, so that an outcome is recorded before other processes look for expired leases. */
const PAUSE_MS = 100

/** The database or the storage cannot be reached, or the disk is full: the same work will succeed afterwards. */
export const isOutage = (error: unknown): boolean => isDomainError(error, 'unavailable') || isOutOfSpace(error)

/**
 * Runs `work` again until the database can be reached and has room: for recording the outcome of work that must not be
 * done twice. `work` must be idempotent, because a commit may have succeeded although its answer was lost. Once
 * `signal` is aborted, the error of `work` is thrown.
 */
export async function retryUntilAvailable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !isOutage(error)) throw error
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
    }
  }
}
