import type { Projections } from '../../../core/events/index.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { subtractOrgLabels } from '../labels/label.store.ts'
import { deleteOrgLabels } from './records/issue-label.store.ts'
import { clearMilestone } from './records/issue.store.ts'
import { deleteEntriesOfLabel } from './timeline/timeline-entry.store.ts'

/** Deletes and detaches what refers to deleted rows of earlier modules. */
export const issueProjections: Projections = {
  async 'label.deleted'(tx, { payload }) {
    await deleteEntriesOfLabel(tx, payload.label_id)
  },
  async 'repo.deleting'(tx, { repoId }) {
    await subtractOrgLabels(tx, { repoId: asId(repoId) })
  },
  async 'repo.transferred'(tx, { payload }) {
    const [repoId, orgId] = [asId<RepoId>(payload.repo_id), asId<UserId>(payload.old_owner_id)]
    await subtractOrgLabels(tx, { repoId, orgId })
    await deleteOrgLabels(tx, repoId, orgId)
  },
  async 'milestone.deleting'(tx, { payload }) {
    await clearMilestone(tx, asId(payload.milestone_id))
  },
}
