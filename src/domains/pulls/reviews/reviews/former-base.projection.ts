import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { followBase } from '../records/decision.store.ts'

/** Approvals count for the base that they were given for (behaviour/pull-requests#reviews). */
export const formerBaseProjections: Projections = {
  'pull.retargeted': (tx, { payload }) =>
    followBase(tx, asId(payload.pull_id), { from: payload.old_base, to: payload.new_base }),
}
