import type { Projections } from '../../events/index.ts'
import { asId, type UserId } from '../../platform/ids.ts'
import { deleteStarsAndWatchesOn } from './owner-cleanup.store.ts'

/** A block ends the stars and watches of both on what the other one owns (behaviour/users-and-admin#blocking). */
export const socialBlockProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteStarsAndWatchesOn(tx, user, blocker)
    await deleteStarsAndWatchesOn(tx, blocker, user)
  },
}
