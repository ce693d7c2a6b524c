import { wireTime } from '../../../core/platform/clock.ts'
import type { Milestone as MilestoneModel } from './milestone.model.ts'
import type { Milestone } from './milestone.store.ts'

export function presentMilestone(milestone: Milestone): MilestoneModel {
  const { id, title, description, closedAt, dueAt } = milestone
  return {
    id,
    title,
    description,
    state: milestone.isClosed ? 'closed' : 'open',
    open_issues: milestone.openIssues,
    closed_issues: milestone.closedIssues,
    created_at: wireTime(milestone.createdAt),
    updated_at: wireTime(milestone.updatedAt),
    closed_at: closedAt === undefined ? null : wireTime(closedAt),
    due_on: dueAt === undefined ? null : wireTime(dueAt),
  }
}
