import type { Projections } from '../../../events/index.ts'
import { asId } from '../../../platform/ids.ts'
import { subtractFollowsOf, subtractStarsOnReposOf } from './user-deletion.store.ts'

/** Takes an account that is about to be deleted out of the counters of other users. */
export const userDeletingProjections: Projections = {
  async 'user.deleting'(tx, { payload }) {
    await subtractStarsOnReposOf(tx, asId(payload.user_id))
    await subtractFollowsOf(tx, asId(payload.user_id))
  },
}
