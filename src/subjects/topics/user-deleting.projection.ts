import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import { subtractTopicsOfReposOf } from './topic-counters.store.ts'

/** Takes the repositories of an account that is about to be deleted out of the counters of their topics. */
export const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => subtractTopicsOfReposOf(tx, asId(payload.user_id)),
}
