import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { subtractFollowsOf } from './user-deletion.store.ts'

/** Subtracts an account from the counters of other users before its deletion. */
export const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => subtractFollowsOf(tx, asId(payload.user_id)),
}
