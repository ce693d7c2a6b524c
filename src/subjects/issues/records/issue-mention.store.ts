import type { Tx } from '../../../db/database.ts'
import { flag } from '../../../db/flag.ts'
import type { UserId } from '../../../platform/crypto/ids.ts'
import type { Issue } from './issue.store.ts'

/** Records that the issue or one of its comments mentions these users; those already recorded are left as they are. */
export async function insertMentions(tx: Tx, issue: Issue, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto('issue_mention')
    .values(
      [...new Set(userIds)].map((userId) => ({
        issue_id: issue.id,
        user_id: userId,
        repo_id: issue.repoId,
        is_closed: flag(issue.isClosed),
        is_pull: flag(issue.isPull),
        created_at: issue.createdAt,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
