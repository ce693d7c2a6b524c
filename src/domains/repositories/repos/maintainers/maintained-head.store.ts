import type { Db } from '../../../../core/db/database.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'

/** The head of an open pull request whose author allows edits by maintainers of the base repository. */
export interface MaintainedHead {
  readonly baseRepoId: RepoId
  readonly posterId: UserId
}

const MAX_HEADS = 100

/** The heads in a repository, or in one branch of it, of pull requests of other repositories; the newest hundred. */
export async function listMaintainedHeads(
  db: Db,
  repoId: RepoId,
  branch: string | undefined,
): Promise<MaintainedHead[]> {
  const heads = db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .select(['pull.base_repo_id', 'issue.poster_id'])
    .where('pull.head_repo_id', '=', repoId)
    .where('pull.is_closed', '=', 0)
    .where('pull.base_repo_id', '!=', repoId)
    .where('pull.allows_maintainer_edit', '=', 1)
    .orderBy('pull.id', 'desc')
    .limit(MAX_HEADS)
  const rows = await (branch === undefined ? heads : heads.where('pull.head_branch', '=', branch)).execute()
  return rows.map((row) => ({
    baseRepoId: asId(row.base_repo_id),
    posterId: asId(row.poster_id),
  }))
}
