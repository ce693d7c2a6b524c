import type { Core } from '../../../core/module.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type AuditEntry, type AuditFilter, deleteEntriesBefore, listEntries, listEntriesAfter } from './audit.store.ts'

interface AuditLogDeps extends Pick<Core, 'database' | 'clock'> {
  /** 0: entries never expire. */
  readonly days: number
}

const BATCH = 500
const DAY_MS = 24 * 60 * 60_000

export type AuditLog = ReturnType<typeof createAuditLog>

/** Read access to the audit log (docs/operate/audit.md). Projections of events write it. */
export function createAuditLog({ database, clock, days }: AuditLogDeps) {
  const { read } = database
  return {
    /** Newest first. */
    list: (filter: AuditFilter, paging: Paging): Promise<Page<AuditEntry>> => listEntries(read, filter, paging),

    /** Oldest first, read in batches. */
    async *each(filter: AuditFilter): AsyncIterable<AuditEntry> {
      for (let after = 0; ;) {
        const entries = await listEntriesAfter(read, filter, { after, limit: BATCH })
        yield* entries
        const last = entries.at(-1)
        if (last === undefined || entries.length < BATCH) return
        after = last.id
      }
    },

    /** Deletes the entries that are older than `audit.days`. */
    async prune(signal: AbortSignal): Promise<void> {
      if (days === 0) return
      const time = clock.now() - days * DAY_MS
      while (!signal.aborted) {
        const deleted = await database.transaction((tx) => deleteEntriesBefore(tx, time, BATCH))
        if (deleted < BATCH) return
      }
    },
  }
}
