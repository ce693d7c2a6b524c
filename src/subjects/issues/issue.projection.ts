import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/crypto/ids.ts'
import { clearMilestone } from './records/issue.store.ts'
import { deleteEntriesOfLabel } from './timeline/timeline-entry.store.ts'

/** Deletes and detaches what refers to deleted rows of earlier subjects. */
export const issueProjections: Projections = {
  async 'label.deleted'(tx, { payload }) {
    await deleteEntriesOfLabel(tx, payload.label_id)
  },
  async 'milestone.deleting'(tx, { payload }) {
    await clearMilestone(tx, asId(payload.milestone_id))
  },
}
