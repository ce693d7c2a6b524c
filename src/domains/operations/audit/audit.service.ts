import type { Database } from '../../../core/db/database.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import {
  type AuditEntry,
  type AuditFilter,
  deleteEntriesBefore,
  listEntries,
  listEntriesAfter,
} from './audit-entry.store.ts'

/** The audit log, to be read (docs/audit.md). Projections of events write it. */
export interface AuditLog {
  /** Newest first. */
  list(filter: AuditFilter, paging: Paging): Promise<Page<AuditEntry>>
  /** Oldest first, read in batches. */
  each(filter: AuditFilter): AsyncIterable<AuditEntry>
  /** Deletes the entries that are older than `audit.days`. */
  prune(signal: AbortSignal): Promise<void>
}

interface AuditLogDeps {
  readonly database: Database
  readonly clock: Clock
  /** 0 keeps entries for ever. */
  readonly days: number
}

const BATCH = 500
const DAY_MS = 24 * 60 * 60_000

export function createAuditLog({ database, clock, days }: AuditLogDeps): AuditLog {
  const { read } = database
  return {
    list: (filter, paging) => listEntries(read, filter, paging),

    async *each(filter) {
      for (let after = 0; ;) {
        const entries = await listEntriesAfter(read, filter, { after, limit: BATCH })
        yield* entries
        const last = entries.at(-1)
        if (last === undefined || entries.length < BATCH) return
        after = last.id
      }
    },

    async prune(signal) {
      if (days === 0) return
      const time = clock.now() - days * DAY_MS
      while (!signal.aborted) {
        const deleted = await database.transaction((tx) => deleteEntriesBefore(tx, time, BATCH))
        if (deleted < BATCH) return
      }
    },
  }
}
