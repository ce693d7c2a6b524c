import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { unavailable } from '../../platform/errors.ts'

const FIRST_PAUSE_MS = 2
const MAX_PAUSE_MS = 25

/** Another process, such as a command, has locked the file. */
export const isBusy = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * Runs a statement until no other process locks the file, with growing random pauses in which the thread is free:
 * SQLite's own busy timeout would block it. Throws unavailable after the deadline, in milliseconds of
 * `performance.now()`. A statement that SQLite refuses as busy had no effect, so it may run again.
 */
export async function retryBusy<T>(run: () => T, deadline: number): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error)) throw error
      // NOTE: a transaction that read before another one wrote stays too old however long it waits.
      if (error.code === 'SQLITE_BUSY_SNAPSHOT' || performance.now() >= deadline)
        throw unavailable('the database is busy', error)
    }
    await sleep(pause * (0.5 + Math.random()))
  }
}
