import type { Db, Tx } from '../../../../core/db/database.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { toEntry, type TimelineEntry } from '../timeline/timeline-entry.store.ts'

const ABOUT_ISSUES = ['add_dependency', 'comment_ref', 'issue_ref', 'pull_ref', 'remove_dependency'] as const

/** Entries of all timelines that name these issues. */
export async function listEntriesAbout(db: Db, ids: readonly IssueId[]): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('timeline_entry')
    .selectAll()
    .where('target_id', 'in', ids)
    .where('kind', 'in', ABOUT_ISSUES)
    .execute()
  return rows.map(toEntry)
}

/** Updates the object that an entry names. */
export async function retargetEntry(
  tx: Tx,
  { id, targetId, payload }: Pick<TimelineEntry, 'id' | 'payload' | 'targetId'>,
): Promise<void> {
  const text = Object.keys(payload).length === 0 ? '' : JSON.stringify(payload)
  await tx.updateTable('timeline_entry').set({ target_id: targetId, payload: text }).where('id', '=', id).execute()
}
