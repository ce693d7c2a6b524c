import type { Db } from '../../../../core/db/database.ts'
import { asId, type IssueId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { PullTarget } from '../records/pull.store.ts'

/** The issue of the open pull request with this target, else of the newest one. */
export async function findIssueByTarget(
  db: Db,
  { headRepoId, headBranch, baseRepoId, baseBranch }: Omit<PullTarget, 'isAgit'>,
): Promise<IssueId | undefined> {
  const row = await db
    .selectFrom('pull')
    .select('issue_id')
    .where('head_repo_id', '=', headRepoId)
    .where('head_branch', '=', headBranch)
    .where('base_repo_id', '=', baseRepoId)
    .where('base_branch', '=', baseBranch)
    .orderBy('is_closed')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && asId(row.issue_id)
}

/** The issue of the pull request that was merged into the repository by this commit. */
export async function findIssueByMerge(db: Db, baseRepoId: RepoId, oid: string): Promise<IssueId | undefined> {
  const row = await db
    .selectFrom('pull')
    .select('issue_id')
    .where('base_repo_id', '=', baseRepoId)
    .where('merged_oid', '=', oid)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && asId(row.issue_id)
}
