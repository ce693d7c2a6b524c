import type { SignedIn } from '../../../../core/access/viewer.ts'
import { type Attachments, addToRepoCounter } from '../../../repositories/index.ts'
import { addToLabelCounters } from '../../labels/label.store.ts'
import { addToMilestoneCounters } from '../../milestones/milestone.store.ts'
import type { IssueInView } from '../views.ts'
import { listAssigneeIds } from '../records/issue-assignee.store.ts'
import { listLabelsOfIssues } from '../records/issue-label.store.ts'
import { deleteIssue as deleteRow } from '../records/issue.store.ts'
import { closePinGap } from '../pins/pins.service.ts'
import { counterOf, milestoneCount } from './change-state.ts'
import type { IssueDeps } from './create-issue.ts'
import { changeLocked } from './change-locked.ts'
import { appendIssueEvent } from './issue-change.ts'

interface DeletionDeps extends IssueDeps {
  readonly attachments: Pick<Attachments, 'deleteOf'>
}

/** Deletes an issue with everything that belongs to it, its files included. */
export const deleteIssue = (deps: DeletionDeps, actor: SignedIn, target: IssueInView): Promise<void> =>
  changeLocked(deps, actor, target, async (change) => {
    const { tx, repo, issue } = change
    await appendIssueEvent(change, 'issue.deleting', {})
    await addToRepoCounter(tx, repo.id, counterOf(issue), -1)
    if (issue.milestoneId !== undefined)
      await addToMilestoneCounters(tx, new Map([[issue.milestoneId, milestoneCount(issue, -1)]]))
    const labelIds = ((await listLabelsOfIssues(tx, [issue.id])).get(issue.id) ?? []).map((label) => label.id)
    const assigneeIds = (await listAssigneeIds(tx, [issue.id])).get(issue.id) ?? []
    await addToLabelCounters(tx, labelIds, -1)
    await closePinGap(tx, issue)
    await deps.attachments.deleteOf(tx, 'issue', issue.id)
    await deleteRow(tx, issue.id)
    await appendIssueEvent(change, 'issue.deleted', {
      title: issue.title,
      poster_id: issue.posterId,
      record: issue,
      label_ids: labelIds,
      assignee_ids: [...assigneeIds],
    })
  })
