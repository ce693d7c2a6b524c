import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { userQueries } from '../../../accounts/index.ts'
import { detachForksOf, starsOnReposOf, subtractStarsAndWatchesOf } from './deletion.store.ts'

/** Before an account is deleted: subtracts the account and its repositories from the counters of others. */
export const userDeletingProjections: Projections = {
  async 'user.deleting'(tx, { payload }) {
    await userQueries.subtractStars(tx, starsOnReposOf(tx, asId(payload.user_id)))
    await detachForksOf(tx, asId(payload.user_id))
    await subtractStarsAndWatchesOf(tx, asId(payload.user_id))
  },
}
