import type { Tx } from '../../../core/db/database.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'

/** A block deletes the pending transfers between the two accounts (behaviour/users-and-admin#blocking). */
export const transferBlockProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteTransfersTo(tx, user, blocker)
    await deleteTransfersTo(tx, blocker, user)
  },
}

/** Deletes transfers to the recipient that the sender started or that move a repository of the sender. */
async function deleteTransfersTo(tx: Tx, recipient: UserId, sender: UserId): Promise<void> {
  const owned = tx.selectFrom('repo').select('id').where('owner_id', '=', sender)
  await tx
    .deleteFrom('repo_transfer')
    .where('recipient_id', '=', recipient)
    .where((eb) => eb.or([eb('doer_id', '=', sender), eb('repo_id', 'in', owned)]))
    .execute()
}
