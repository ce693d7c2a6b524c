import type { Tx } from '../../db/database.ts'
import type { Projections } from '../../events/index.ts'
import { asId, type UserId } from '../../platform/ids.ts'

/** A block ends the pending transfers between the two (behaviour/users-and-admin#blocking). */
export const transferBlockProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteTransfersTo(tx, user, blocker)
    await deleteTransfersTo(tx, blocker, user)
  },
}

/** Those that the giver began, or of a repository of the giver, and that wait for the recipient. */
async function deleteTransfersTo(tx: Tx, recipient: UserId, giver: UserId): Promise<void> {
  const owned = tx.selectFrom('repo').select('id').where('owner_id', '=', giver)
  await tx
    .deleteFrom('repo_transfer')
    .where('recipient_id', '=', recipient)
    .where((eb) => eb.or([eb('doer_id', '=', giver), eb('repo_id', 'in', owned)]))
    .execute()
}
