import type { MilestoneId } from '../../../../core/platform/crypto/ids.ts'
import { addToMilestoneCounters } from '../../milestones/milestone.store.ts'
import { type Issue, updateIssue } from '../records/issue.store.ts'
import type { NewEntry } from '../timeline/timeline-entry.store.ts'
import { milestoneCount, addEntries, appendIssueEvent, type IssueChange } from './issue-change.ts'

/** 0 for none. */
interface MilestoneIds {
  readonly oldId: number
  readonly newId: number
}

export const milestoneEntry = (ids: MilestoneIds): NewEntry => ({
  kind: 'milestone',
  targetId: ids.newId,
  payload: ids,
})

/**
 * Moves the issue to a milestone of its repository, or to none. The caller has checked that the milestone exists.
 * Returns the issue as it is then.
 */
export async function changeMilestone(change: IssueChange, milestoneId: MilestoneId | undefined): Promise<Issue> {
  const { tx, issue, at } = change
  if (issue.milestoneId === milestoneId) return issue
  const changed = await updateIssue(tx, issue.id, { milestone_id: milestoneId ?? 0, updated_at: at })
  const counters = new Map([
    ...(issue.milestoneId ? [[issue.milestoneId, milestoneCount(issue, -1)] as const] : []),
    ...(milestoneId ? [[milestoneId, milestoneCount(issue, 1)] as const] : []),
  ])
  await addToMilestoneCounters(tx, counters, at)
  const ids = { oldId: issue.milestoneId ?? 0, newId: milestoneId ?? 0 }
  await addEntries(change, milestoneEntry(ids))
  const payload = { old_id: ids.oldId, new_id: ids.newId }
  await appendIssueEvent({ ...change, issue: changed }, 'issue.milestone_changed', payload)
  return changed
}
