import type { Db, Tx } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type Issue, toIssue } from '../records/issue.store.ts'

/** The issue that had this number before it was transferred. */
export async function findTransferredIssue(db: Db, repoId: RepoId, number: number): Promise<Issue | undefined> {
  const row = await db
    .selectFrom('issue_redirect')
    .innerJoin('issue', 'issue.id', 'issue_redirect.issue_id')
    .selectAll('issue')
    .where('issue_redirect.repo_id', '=', repoId)
    .where('issue_redirect.number', '=', number)
    .executeTakeFirst()
  return row && toIssue(row)
}

export async function insertRedirect(tx: Tx, { id, repoId, number }: Issue): Promise<void> {
  await tx.insertInto('issue_redirect').values({ repo_id: repoId, number, issue_id: id }).execute()
}
