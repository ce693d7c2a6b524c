import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { subtractFollowsOf, subtractStarsOnReposOf } from './user-deletion.store.ts'

/** Subtracts an account from the counters of other users before its deletion. */
export const userDeletingProjections: Projections = {
  async 'user.deleting'(tx, { payload }) {
    await subtractStarsOnReposOf(tx, asId(payload.user_id))
    await subtractFollowsOf(tx, asId(payload.user_id))
  },
}
