import type { Db } from '../../../../core/db/database.ts'
import { asId, type PullId } from '../../../../core/platform/crypto/ids.ts'

/** The open pull requests with these numbers in the repository at this storage path. */
export async function listOpenPullsOfStorage(
  db: Db,
  storage: string,
  numbers: readonly number[],
): Promise<{ readonly id: PullId }[]> {
  const rows = await db
    .selectFrom('repo')
    .innerJoin('issue', 'issue.repo_id', 'repo.id')
    .innerJoin('pull', 'pull.issue_id', 'issue.id')
    .select('pull.id')
    .where('repo.storage', '=', storage)
    .where('issue.number', 'in', numbers)
    .where('pull.is_closed', '=', 0)
    .execute()
  return rows.map((row) => ({ id: asId(row.id) }))
}
