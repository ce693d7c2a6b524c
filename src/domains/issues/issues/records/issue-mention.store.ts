import type { Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { copiesOf, type IssueCopies } from './records.store.ts'
import type { Issue } from './issue.store.ts'

/** Records that the issue or one of its comments mentions these users; ignores recorded ones. */
export async function insertMentions(tx: Tx, issue: Issue, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  await insertion(tx, { userIds: [...new Set(userIds)], ...copiesOf(issue) })
}

const insertion = defineQuery((db, { userIds, ...copies }: IssueCopies & { userIds: readonly UserId[] }) =>
  db
    .insertInto('issue_mention')
    .values(userIds.map((userId) => ({ ...copies, user_id: userId })))
    .onConflict((conflict) => conflict.doNothing()),
)
