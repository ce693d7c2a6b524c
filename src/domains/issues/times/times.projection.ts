import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { stopOn } from './stopwatches.service.ts'
import { moveTimes } from './times.store.ts'

/** Times move with their issue; closing an issue stops the actor's stopwatch on it. */
export const timeProjections: Projections = {
  async 'issue.transferred'(tx, { payload }) {
    await moveTimes(tx, asId(payload.issue_id), asId(payload.repo_id))
  },
  async 'issue.closed'(tx, { actorId, at, entities: { issue } }) {
    await stopOn(tx, { userId: asId(actorId), issue, at })
  },
}
