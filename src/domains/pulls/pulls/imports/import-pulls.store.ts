import type { Db } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type Pull, toPull } from '../records/pull.store.ts'

export interface NumberedPull {
  readonly pull: Pull
  readonly number: number
}

/** Some of the pull requests of a repository in the order of their numbers, after `after`. */
export async function listPullsAfter(
  db: Db,
  repoId: RepoId,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<NumberedPull[]> {
  const rows = await db
    .selectFrom('issue')
    .innerJoin('pull', 'pull.issue_id', 'issue.id')
    .selectAll('pull')
    .select('issue.number')
    .where('issue.repo_id', '=', repoId)
    .where('issue.number', '>', after)
    .orderBy('issue.number')
    .limit(limit)
    .execute()
  return rows.map(({ number, ...row }) => ({ pull: toPull(row), number }))
}
