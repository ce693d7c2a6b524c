import type { Db } from '../../db/database.ts'
import { asId, type IssueId, type PullId } from '../../platform/crypto/ids.ts'

/** The issue of a pull request; undefined when it was deleted. */
export async function findIssueOfPull(db: Db, id: PullId): Promise<IssueId | undefined> {
  const row = await db.selectFrom('pull').select('issue_id').where('id', '=', id).executeTakeFirst()
  return row && asId(row.issue_id)
}
