import type { SignedIn } from '../../../access/viewer.ts'
import { notFound } from '../../../platform/errors.ts'
import type { Attachments } from '../../attachments/index.ts'
import { addToLabelCounters } from '../../labels/index.ts'
import { addToMilestoneCounters } from '../../milestones/index.ts'
import { addToRepoCounter } from '../../repos/index.ts'
import type { IssueInView } from '../views.ts'
import { listLabelsOfIssues } from '../records/issue-label.store.ts'
import { deleteIssue as deleteRow, lockIssue } from '../records/issue.store.ts'
import { closePinGap } from '../pins/pins.service.ts'
import { counterOf, milestoneCount } from './change-state.ts'
import type { IssueDeps } from './create-issue.ts'
import { appendIssueEvent, type IssueChange } from './issue-change.ts'

interface DeletionDeps extends IssueDeps {
  readonly attachments: Pick<Attachments, 'deleteOf'>
}

/** Deletes an issue with everything that belongs to it, its files included. */
export const deleteIssue = (
  { database, clock, events, attachments }: DeletionDeps,
  actor: SignedIn,
  { repo, issue: seen }: IssueInView,
): Promise<void> =>
  database.transaction(async (tx) => {
    const issue = await lockIssue(tx, seen.id)
    if (issue === undefined) throw notFound('issue does not exist')
    const change: IssueChange = { tx, events, actor, repo, issue, at: clock.now() }
    await appendIssueEvent(change, 'issue.deleting', {})
    await addToRepoCounter(tx, repo.id, counterOf(issue), -1)
    if (issue.milestoneId !== undefined)
      await addToMilestoneCounters(tx, new Map([[issue.milestoneId, milestoneCount(issue, -1)]]))
    const labels = (await listLabelsOfIssues(tx, [issue.id])).get(issue.id) ?? []
    await addToLabelCounters(
      tx,
      labels.map((label) => label.id),
      -1,
    )
    await closePinGap(tx, issue)
    await attachments.deleteOf(tx, 'issue', issue.id)
    await deleteRow(tx, issue.id)
    await appendIssueEvent(change, 'issue.deleted', { title: issue.title, poster_id: issue.posterId })
  })
