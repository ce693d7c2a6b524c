import type { Db, Tx } from '../../../../core/db/database.ts'
import type { IssueId, RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { type RefAction, toEntry } from './timeline-entry.store.ts'

/** Kinds of entries whose target is the issue that contains the reference. */
const OF_ISSUES = ['issue_ref', 'pull_ref', 'comment_ref'] as const

/** Sets what the references of these entries do. */
export async function updateReferenceActions(
  tx: Tx,
  entryIds: readonly number[],
  action: RefAction,
  at: number,
): Promise<void> {
  if (entryIds.length === 0) return
  const rows = await tx.selectFrom('timeline_entry').selectAll().where('id', 'in', entryIds).execute()
  for (const { id, payload } of rows.map(toEntry))
    await tx
      .updateTable('timeline_entry')
      .set({ payload: JSON.stringify({ ...payload, action }), updated_at: at })
      .where('id', '=', id)
      .execute()
}

/** Deletes the entries that say that this issue or a comment on it refers to others. */
export async function deleteReferencesOfIssue(tx: Tx, issueId: IssueId): Promise<void> {
  await tx.deleteFrom('timeline_entry').where('target_id', '=', issueId).where('kind', 'in', OF_ISSUES).execute()
}

/**
 * Deletes the entries that say that issues or commits of a repository, or of every one of an owner, refer to others.
 */
export async function deleteReferencesOfRepos(
  tx: Tx,
  of: { readonly id: RepoId } | { readonly ownerId: UserId },
): Promise<void> {
  const repos = (db: Db) =>
    'id' in of
      ? db.selectFrom('repo').select('repo.id').where('repo.id', '=', of.id)
      : db.selectFrom('repo').select('repo.id').where('repo.owner_id', '=', of.ownerId)
  const issues = tx.selectFrom('issue').select('issue.id').where('issue.repo_id', 'in', repos(tx))
  await tx.deleteFrom('timeline_entry').where('target_id', 'in', issues).where('kind', 'in', OF_ISSUES).execute()
  await tx.deleteFrom('timeline_entry').where('target_id', 'in', repos(tx)).where('kind', '=', 'commit_ref').execute()
}
