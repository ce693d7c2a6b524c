import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../core/db/database.ts'
import { isDomainError } from '../core/platform/errors.ts'
import type { Logger } from '../core/platform/logger.ts'

const PAUSE_MS = 250
const FIRST_LINE_MS = 250
/** Minimum time between two log lines. */
const MAX_LINE_MS = 5_000

interface WaitOptions {
  readonly log: Logger
  /** Time limit of the attempts. */
  readonly seconds: number
  /** Ends the wait: the promise rejects with its reason. */
  readonly signal: AbortSignal
}

/**
 * Resolves when the database answers; it is tried four times a second. Throws its error after the time limit, and at
 * once for errors that will not pass (a wrong password).
 */
export async function waitForDatabase(database: Database, { log, seconds, signal }: WaitOptions): Promise<void> {
  const end = performance.now() + seconds * 1000
  let [nextLine, linePause] = [0, FIRST_LINE_MS]
  for (;;) {
    try {
      await database.dialect.now(database.connections)
      return
    } catch (error) {
      const left = end - performance.now()
      if (!isDomainError(error, 'unavailable') || left <= 0) throw error
      if (performance.now() >= nextLine) {
        const reason = error.cause instanceof Error ? error.cause.message : error.message
        log.warn({ reason, secondsLeft: Math.ceil(left / 1000) }, 'the database cannot be reached; trying again')
        nextLine = performance.now() + linePause
        linePause = Math.min(MAX_LINE_MS, linePause * 2)
      }
      await sleep(Math.min(PAUSE_MS, left), undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
