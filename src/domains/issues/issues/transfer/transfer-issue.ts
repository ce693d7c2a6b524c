import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { forbidden, invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type Repo, repoQueries, accessQueries, attachmentQueries } from '../../../repositories/index.ts'
import { type Label, addToLabelCounters, listUsableLabels } from '../../labels/label.store.ts'
import { addToMilestoneCounters, findMilestoneTitled, listMilestonesByIds } from '../../milestones/milestone.store.ts'
import { userQueries } from '../../../accounts/index.ts'
import { reduceToScopes } from '../changes/change-labels.ts'
import { changeLocked } from '../changes/edit-issue.ts'
import { counterOf, milestoneCount, appendIssueEvent, type IssueChange } from '../changes/issue-change.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import { canBeAssigned, canReadIssue, canWriteIssue } from '../issue.policy.ts'
import { closePinGap } from '../pins/pins.service.ts'
import { deleteAssignees, listAssigneeIds } from '../records/issue-assignee.store.ts'
import { deleteIssueLabels, insertIssueLabels, listLabelsOfIssues, updateRepoCopies } from '../records/records.store.ts'
import { type Issue, allocateIssueNumber, updateIssue } from '../records/issue.store.ts'
import type { IssueInView } from '../views.ts'
import { insertRedirect } from './issue-redirect.store.ts'

export interface TransferredIssue {
  readonly repo: Repo
  readonly issue: Issue
}

/**
 * Moves an issue to another repository of the same owner, with its comments, entries, files, times and references,
 * under a new number. Labels and the milestone are replaced by those of the same name, if any. Throws NotFound for a
 * repository that the actor may not read, Forbidden for one that it may not write, Locked for an archived one, Invalid
 * for pull requests and for the issue's own repository.
 */
export async function transferIssue(
  deps: IssueDeps,
  actor: SignedIn,
  target: IssueInView,
  repoName: string,
): Promise<TransferredIssue> {
  if (target.issue.isPull) throw invalid('pull requests cannot be transferred')
  const to = await findRecipient(deps, actor, target.repo, repoName)
  const issue = await changeLocked(deps, actor, target, async (change) => {
    const { tx, issue: before } = change
    await closePinGap(tx, before)
    await moveMilestone(tx, before, undefined)
    const labels = (await listLabelsOfIssues(tx, [before.id])).get(before.id) ?? []
    await detachLabels(tx, before, labels)
    const moved = await moveRow(change, to)
    await attachLabels(tx, moved, await labelsIn(tx, to, labels))
    await dropAssignees(tx, moved, to)
    await appendIssueEvent({ ...change, issue: moved, repo: to }, 'issue.transferred', {
      old_repo_id: before.repoId,
      old_number: before.number,
    })
    return moved
  })
  return { repo: to, issue }
}

async function findRecipient(
  { database: { read } }: IssueDeps,
  actor: SignedIn,
  from: Repo,
  name: string,
): Promise<Repo> {
  const { repo, access } = await accessQueries.getRepoInView(read, actor, from.owner.name, name)
  if (!canReadIssue(access, { isPull: false })) throw errors.unitNotReadable('repo.issues')
  if (!canWriteIssue(access, { isPull: false })) throw forbidden('write permission is required')
  if (repo.id === from.id) throw invalid('[Repo]: the issue is in this repository')
  if (repo.isArchived) throw errors.repoArchived(repo.fullName)
  return repo
}

/** Moves the row and the rows that copy its repository, and adjusts the counters of both repositories. */
async function moveRow({ tx, issue, at }: IssueChange, to: Repo): Promise<Issue> {
  await insertRedirect(tx, issue)
  const old = issue.milestoneId && (await listMilestonesByIds(tx, [issue.milestoneId])).get(issue.milestoneId)
  const milestone = old && (await findMilestoneTitled(tx, to.id, old.title))
  const moved = await updateIssue(tx, issue.id, {
    repo_id: to.id,
    number: await allocateIssueNumber(tx, to.id),
    milestone_id: milestone?.id ?? 0,
    pin_order: 0,
    updated_at: at,
  })
  await moveMilestone(tx, undefined, moved)
  await updateRepoCopies(tx, moved)
  await attachmentQueries.move(tx, moved.id, to.id)
  const repoIds = [issue.repoId, to.id].toSorted((a, b) => a - b)
  for (const id of repoIds) await repoQueries.addToCounter(tx, id, counterOf(issue), id === to.id ? 1 : -1)
  return moved
}

/** Adjusts the counters of the old and the new milestone. */
async function moveMilestone(tx: Tx, before: Issue | undefined, after: Issue | undefined): Promise<void> {
  if (before?.milestoneId) await addToMilestoneCounters(tx, new Map([[before.milestoneId, milestoneCount(before, -1)]]))
  if (after?.milestoneId) await addToMilestoneCounters(tx, new Map([[after.milestoneId, milestoneCount(after, 1)]]))
}

const idsOf = (labels: readonly Label[]) => labels.map((label) => label.id)

async function detachLabels(tx: Tx, issue: Issue, labels: readonly Label[]): Promise<void> {
  await deleteIssueLabels(tx, issue.id, idsOf(labels))
  await addToLabelCounters(tx, idsOf(labels), -1)
}

async function attachLabels(tx: Tx, issue: Issue, labels: readonly Label[]): Promise<void> {
  await insertIssueLabels(tx, issue, labels)
  await addToLabelCounters(tx, idsOf(labels), 1)
}

/** The labels of the organization, and for others the label of the same name, preferably the repository's own. */
async function labelsIn(tx: Tx, to: Repo, labels: readonly Label[]): Promise<Label[]> {
  const kept = labels.filter(({ owner }) => 'orgId' in owner)
  const names = labels.filter(({ owner }) => 'repoId' in owner).map((label) => label.name)
  const usable = await listUsableLabels(tx, { repoId: to.id, ownerId: to.ownerId }, { names })
  const named = names.flatMap((name) => {
    const same = usable.filter((label) => label.name === name)
    return same.find(({ owner }) => 'repoId' in owner) ?? same[0] ?? []
  })
  return reduceToScopes([...new Map([...kept, ...named].map((label) => [label.id, label])).values()])
}

/** Unassigns users who cannot be assigned in the repository. */
async function dropAssignees(tx: Tx, issue: Issue, repo: Repo): Promise<void> {
  const ids = (await listAssigneeIds(tx, [issue.id])).get(issue.id) ?? []
  for (const user of await userQueries.listByIds(tx, ids))
    if (!canBeAssigned(await accessQueries.load(tx, viewerOfAccount(user), repo)))
      await deleteAssignees(tx, issue.id, [user.id])
}
