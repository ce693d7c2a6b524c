import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const MilestonePayload = { repo_id: Id, milestone_id: Id, title: Type.String() }

export const milestoneEvents = {
  'milestone.created': Type.Object(MilestonePayload),
  /**
   * The row of the milestone, which is locked, is about to be deleted in this transaction. Projections detach
   * references to it. Not appended for milestones of a deleted repository: see `repo.deleting`.
   */
  'milestone.deleting': Type.Object(MilestonePayload),
  'milestone.edited': Type.Object(MilestonePayload),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof milestoneEvents> {}
}
