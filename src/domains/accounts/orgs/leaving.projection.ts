import type { Tx } from '../../../core/db/database.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { type User, listUsersByIds } from '../users/user.store.ts'

/**
 * Calls `clean` with every user who leaves an organization or one of its teams and may lose access to some of its
 * repositories (behaviour/orgs-webhooks-actions#members).
 */
export function leavingProjections(clean: (tx: Tx, orgId: UserId, user: User) => Promise<void>) {
  const cleanAll = async (tx: Tx, orgId: number, userIds: readonly number[]): Promise<void> => {
    const users = await listUsersByIds(
      tx,
      userIds.map((id) => asId<UserId>(id)),
    )
    for (const user of users) await clean(tx, asId(orgId), user)
  }
  return {
    'org.member_removed': (tx, { payload: { org_id, user_id } }) => cleanAll(tx, org_id, [user_id]),
    'team.member_removed': (tx, { payload: { org_id, user_id } }) => cleanAll(tx, org_id, [user_id]),
    'team.deleted': (tx, { payload: { org_id, member_ids = [] } }) => cleanAll(tx, org_id, member_ids),
  } satisfies Projections
}
