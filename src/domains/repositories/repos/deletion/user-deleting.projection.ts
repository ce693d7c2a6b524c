import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { detachForksOf, subtractStarsAndWatchesOf } from './deletion.store.ts'

/** Before an account is deleted: subtracts the account and its repositories from the counters of other repositories. */
export const userDeletingProjections: Projections = {
  async 'user.deleting'(tx, { payload }) {
    await detachForksOf(tx, asId(payload.user_id))
    await subtractStarsAndWatchesOf(tx, asId(payload.user_id))
  },
}
