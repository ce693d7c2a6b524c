import type { Logger } from '../platform/logger.ts'
import type { Members } from '../platform/concurrency/processes.ts'
import type { Database, Db, Tx } from './database.ts'

/** A table of resources that processes lease. */
interface LeaseTable {
  /** Names of the processes that have leases; may contain the empty string. */
  listHolders(db: Db): Promise<readonly string[]>
  /** Ends the leases of these processes. */
  free(tx: Tx, holders: readonly string[]): Promise<void>
  /** Called when leases were ended. */
  onFreed(): void
}

interface Deps {
  readonly database: Database
  readonly log: Logger
  readonly members: Pick<Members, 'ended' | 'onEnded'>
}

/** Milliseconds within which PostgreSQL has carried out what a process sent before it was killed. */
const IN_FLIGHT_MS = 5_000

/**
 * Ends the leases of processes that have ended, now, once more when nothing that they sent is in flight, and whenever
 * one ends. Leases of unknown processes expire by time. Returns the function that stops it.
 */
export function freeLeasesOfEnded({ database, log, members }: Deps, table: LeaseTable): () => void {
  const free = async (): Promise<void> => {
    const ended = members.ended(await table.listHolders(database.read))
    if (ended.length === 0) return
    await database.transaction((tx) => table.free(tx, ended))
    table.onFreed()
  }
  const attempt = (): void => {
    free().catch((error: unknown) =>
      log.warn({ err: error }, 'failed to free the leases of an ended process; they will expire'),
    )
  }
  attempt()
  const again = setTimeout(attempt, IN_FLIGHT_MS).unref()
  const unsubscribe = members.onEnded(attempt)
  return () => {
    clearTimeout(again)
    unsubscribe()
  }
}
