import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { isDomainError } from '../platform/errors.ts'
import type { Logger } from '../platform/logger.ts'

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000

interface Patience {
  readonly log: Logger
  /** For how long to try again. */
  readonly seconds: number
  /** Ends the waiting: the promise is rejected with its reason. */
  readonly signal: AbortSignal
}

/**
 * Resolves when the database answers, which it is asked with growing pauses; throws what is wrong with it after the
 * time, and at once where that will not pass (a wrong password).
 */
export async function waitForDatabase(database: Database, { log, seconds, signal }: Patience): Promise<void> {
  const end = performance.now() + seconds * 1000
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
    try {
      await database.dialect.now(database.connections)
      return
    } catch (error) {
      const left = end - performance.now()
      if (!isDomainError(error, 'unavailable') || left <= 0) throw error
      const reason = error.cause instanceof Error ? error.cause.message : error.message
      log.warn({ reason, secondsLeft: Math.ceil(left / 1000) }, 'the database cannot be reached; trying again')
      await sleep(Math.min(pause, left), undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
