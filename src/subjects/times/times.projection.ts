import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/crypto/ids.ts'
import { findIssueById } from '../issues/index.ts'
import { stopOn } from './stopwatches.service.ts'

/** Who closes an issue stops the own stopwatch on it. */
export const timeProjections: Projections = {
  async 'issue.closed'(tx, { actorId, at, payload }) {
    const issue = await findIssueById(tx, asId(payload.issue_id))
    await stopOn(tx, { userId: asId(actorId), issue, at })
  },
}
