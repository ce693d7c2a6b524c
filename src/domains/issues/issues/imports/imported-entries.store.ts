import type { Tx } from '../../../../core/db/database.ts'
import type { AuthorColumns } from '../../../../core/db/original-author.ts'
import type { IssueId, RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { indexImportedTexts } from '../texts/imported-text.store.ts'
import { isPublished } from '../issue.policy.ts'
import { type NewEntry, secondOf, toEntry, type TimelineEntry } from '../timeline/timeline-entry.store.ts'

/** The kind of an entry with its own data. */
export type ImportedChange = NewEntry

/** A comment or an event of another service, with a text within the limits of the API. Times are epoch milliseconds. */
export type ImportedEntry = ImportedChange & {
  readonly issueId: IssueId
  readonly repoId: RepoId
  readonly actorId: UserId
  readonly author: AuthorColumns
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * Inserts at most a few hundred entries of an import in this order and returns them in this order; searches find their
 * texts. Writes no events and no counters.
 */
export async function insertImportedEntries(tx: Tx, entries: readonly ImportedEntry[]): Promise<TimelineEntry[]> {
  if (entries.length === 0) return []
  const rows = await tx
    .insertInto('timeline_entry')
    .values(
      entries.map(({ targetId = 0, body = '', payload = {}, ...entry }) => ({
        issue_id: entry.issueId,
        repo_id: entry.repoId,
        kind: entry.kind,
        actor_id: entry.actorId,
        ...entry.author,
        target_id: targetId,
        created_at: secondOf(entry.createdAt),
        updated_at: secondOf(entry.updatedAt),
        payload: Object.keys(payload).length === 0 ? '' : JSON.stringify(payload),
        body,
      })),
    )
    .returningAll()
    .execute()
  const inserted = rows.map(toEntry).toSorted((a, b) => a.id - b.id)
  await indexImportedTexts(
    tx,
    inserted.filter(isPublished).map(({ id, issueId, repoId, body }) => ({ issueId, repoId, part: id, content: body })),
  )
  return inserted
}
