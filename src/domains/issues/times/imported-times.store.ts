import type { Tx } from '../../../core/db/database.ts'
import type { AuthorColumns } from '../../../core/db/original-author.ts'
import type { IssueId, RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import { insertImportedEntries } from '../issues/imports/imported-entries.store.ts'
import { durationText } from './tracking.policy.ts'

export interface ImportedTime {
  readonly issueId: IssueId
  readonly repoId: RepoId
  /** The actor of the entry in the timeline; the time itself belongs to nobody without an account. */
  readonly actorId: UserId
  readonly author: AuthorColumns
  readonly seconds: number
  readonly createdAt: number
}

/** Inserts at most a few hundred tracked times of an import, in this order, with their entries in the timelines. */
export async function insertImportedTimes(tx: Tx, times: readonly ImportedTime[]): Promise<void> {
  if (times.length === 0) return
  const rows = await tx
    .insertInto('tracked_time')
    .values(
      times.map(({ issueId, repoId, actorId, author, seconds, createdAt }) => ({
        issue_id: issueId,
        repo_id: repoId,
        user_id: author.original_author === '' ? actorId : 0,
        ...author,
        seconds,
        created_at: createdAt,
      })),
    )
    .returning('id')
    .execute()
  const ids = rows.map(({ id }) => id).toSorted((a, b) => a - b)
  await insertImportedEntries(
    tx,
    times.map(({ seconds, ...time }, index) => ({
      ...time,
      kind: 'add_time_manual',
      targetId: ids[index]!,
      body: durationText(seconds),
      updatedAt: time.createdAt,
    })),
  )
}
