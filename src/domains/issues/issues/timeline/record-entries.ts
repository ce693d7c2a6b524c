import type { Tx } from '../../../../core/db/database.ts'
import { updateIssue } from '../records/issue.store.ts'
import { type EntryOrigin, insertEntries, type NewEntry } from './timeline-entry.store.ts'

/** Adds entries of other modules to the timeline of an issue and updates its `updated_at`. */
export async function recordEntries(tx: Tx, origin: EntryOrigin, ...entries: NewEntry[]): Promise<void> {
  await insertEntries(tx, origin, entries)
  await updateIssue(tx, origin.issue.id, { updated_at: origin.at })
}
