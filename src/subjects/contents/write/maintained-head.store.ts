import type { Db } from '../../../db/database.ts'
import { asId, type RepoId, type UserId } from '../../../platform/crypto/ids.ts'

/** The head of an open pull request whose poster lets those write it who write the base repository. */
export interface MaintainedHead {
  readonly baseRepoId: RepoId
  readonly branch: string
  readonly posterId: UserId
}

const MAX_HEADS = 100

/** Those of a repository, the newest hundred; of other repositories' pull requests alone. */
export async function listMaintainedHeads(db: Db, repoId: RepoId): Promise<MaintainedHead[]> {
  const rows = await db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .select(['pull.base_repo_id', 'pull.head_branch', 'issue.poster_id'])
    .where('pull.head_repo_id', '=', repoId)
    .where('pull.is_closed', '=', 0)
    .where('pull.base_repo_id', '!=', repoId)
    .where('pull.allows_maintainer_edit', '=', 1)
    .orderBy('pull.id', 'desc')
    .limit(MAX_HEADS)
    .execute()
  return rows.map((row) => ({
    baseRepoId: asId(row.base_repo_id),
    branch: row.head_branch,
    posterId: asId(row.poster_id),
  }))
}
