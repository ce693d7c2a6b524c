import type { Db, Tx } from '../../../../core/db/database.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'

/** That a commit refers to an issue. */
export interface CommitReference {
  /** The keyword has acted, or could not: it acts once, whatever is done to the issue later. */
  readonly isSettled: boolean
}

export async function findCommitReference(db: Db, issueId: IssueId, oid: string): Promise<CommitReference | undefined> {
  const row = await db
    .selectFrom('commit_reference')
    .select('is_settled')
    .where('issue_id', '=', issueId)
    .where('oid', '=', oid)
    .executeTakeFirst()
  return row && { isSettled: row.is_settled === 1 }
}

/** `entryId` is the entry in the timeline of the issue. */
export async function insertCommitReference(
  tx: Tx,
  values: { readonly issueId: IssueId; readonly oid: string; readonly entryId: number },
): Promise<void> {
  const { issueId, oid, entryId } = values
  await tx.insertInto('commit_reference').values({ issue_id: issueId, oid, entry_id: entryId }).execute()
}

export async function settleCommitReference(tx: Tx, issueId: IssueId, oid: string): Promise<void> {
  await tx
    .updateTable('commit_reference')
    .set({ is_settled: 1 })
    .where('issue_id', '=', issueId)
    .where('oid', '=', oid)
    .execute()
}
