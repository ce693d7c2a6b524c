import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { MilestoneId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Label, addToLabelCounters, listUsableLabels } from '../../labels/label.store.ts'
import { type Milestone, countInMilestone } from '../../milestones/milestone.store.ts'
import { type Repo, collaboratorQueries, accessQueries } from '../../../repositories/index.ts'
import { type User, userQueries, blockQueries } from '../../../accounts/index.ts'
import { insertAssignees, deleteAssignees, listAssigneeIds } from '../records/issue-assignee.store.ts'
import { insertIssueLabels } from '../records/records.store.ts'
import { labelEntry, reduceToScopes } from './change-labels.ts'
import { milestoneEntry } from './change-milestone.ts'
import {
  milestoneCount,
  type AccountChange,
  addEntries,
  appendIssueEvents,
  type NewIssueEvent,
} from './issue-change.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { canBeAssigned } from '../issue.policy.ts'
import type { NewEntry } from '../timeline/timeline-entry.store.ts'

/** The users with these logins, without duplicates. Throws Invalid for an unknown login and for an organization. */
export async function findAccounts(db: Db, viewer: SignedIn, repo: Repo, logins: readonly string[]): Promise<User[]> {
  const found = new Map<number, User>()
  for (const login of logins) {
    const user = await collaboratorQueries.findNamedAccount(db, viewer, repo, login)
    if (user === undefined || user.kind === 'organization')
      throw invalid(`Assignee does not exist: [name: user does not exist [uid: 0, name: ${login}]]`)
    found.set(user.id, user)
  }
  return [...found.values()]
}

/** Like `findAccounts`, but throws Invalid also for a user who cannot be assigned to issues of the repository. */
export async function findAssignees(db: Db, viewer: SignedIn, repo: Repo, logins: readonly string[]): Promise<User[]> {
  const found = await findAccounts(db, viewer, repo, logins)
  for (const user of found) await requireAssignable(db, repo, user)
  return found
}

async function requireAssignable(db: Db, repo: Repo, user: User): Promise<void> {
  if (!canBeAssigned(await accessQueries.load(db, viewerOfAccount(user), repo)))
    throw invalid(`[Assignees]: ${user.name} has no access to the repository`)
}

/**
 * Throws Invalid when one of the users has lost access since the lookup. Locks the users, like the deletion of
 * assignments (assignments.projection.ts): the deletion is either committed before this check or sees the inserted
 * rows.
 */
async function requireStillAssignable(tx: Tx, repo: Repo, users: readonly User[]): Promise<void> {
  await userQueries.lock(
    tx,
    users.map((user) => user.id),
  )
  for (const user of users) await requireAssignable(tx, repo, user)
}

/**
 * Replaces the assignees of the issue. Throws Forbidden when one of the new ones blocks the actor, and as
 * `requireStillAssignable`.
 */
export async function changeAssignees(change: AccountChange, users: readonly User[]): Promise<boolean> {
  const { tx, issue, actor, repo } = change
  const before = (await listAssigneeIds(tx, [issue.id])).get(issue.id) ?? []
  const removed = before.filter((id) => !users.some((user) => user.id === id))
  const added = users.filter((user) => !before.includes(user.id))
  const addedIds = added.map((user) => user.id)
  if (!actor.account.isAdmin) await blockQueries.requireUnblocked(tx, actor.account.id, addedIds)
  await requireStillAssignable(tx, repo, added)
  await deleteAssignees(tx, issue.id, removed)
  await insertAssignees(tx, issue, addedIds)
  const steps = [
    ...removed.map((id) => ({ id, isAdded: false })),
    ...addedIds.map((id) => ({ id, isAdded: true })),
  ] as const
  await addEntries(change, ...steps.map(({ id, isAdded }) => assigneeEntry(id, isAdded)))
  await appendIssueEvents(
    change,
    steps.map(({ id, isAdded }) => assigneeEvent(id, isAdded)),
  )
  return steps.length > 0
}

const assigneeEntry = (userId: UserId, isAdded: boolean): NewEntry => ({
  kind: 'assignees',
  targetId: userId,
  payload: { isRemoved: !isAdded },
})

const assigneeEvent = (userId: UserId, isAdded: boolean): NewIssueEvent => ({
  kind: isAdded ? 'issue.assigned' : 'issue.unassigned',
  payload: { user_id: userId },
})

/** The labels, assignees and milestone requested for a new issue or pull request. */
interface RequestedTriage {
  /** Labels of the repository or its organization; others are ignored. */
  readonly labelIds: readonly number[]
  /** Logins. */
  readonly assignees: readonly string[]
  /** Ignored if the repository does not have it. */
  readonly milestoneId: MilestoneId | undefined
}

/** Labels, assignees and milestone as found before the transaction that creates the issue. */
export interface TriageFields {
  readonly labels: readonly Label[]
  readonly assignees: readonly User[]
  readonly milestoneId: MilestoneId | undefined
}

export const NO_TRIAGE: TriageFields = { labels: [], assignees: [], milestoneId: undefined }

/** Throws Invalid as `findAssignees`. The last of the labels with the same exclusive scope wins. */
export async function findTriageFields(
  db: Db,
  viewer: SignedIn,
  repo: Repo,
  wanted: RequestedTriage,
): Promise<TriageFields> {
  const assignees = await findAssignees(db, viewer, repo, wanted.assignees)
  const labels = await listUsableLabels(db, { repoId: repo.id, ownerId: repo.ownerId }, { ids: wanted.labelIds })
  return { labels: reduceToScopes(labels), assignees, milestoneId: wanted.milestoneId }
}

/** A plan whose rows exist and are locked. */
export interface CountedTriage extends Omit<TriageFields, 'milestoneId'> {
  readonly milestone: Milestone | undefined
}

/** A change of an issue that this transaction inserted. */
export interface NewIssueChange extends AccountChange {
  readonly plan: CountedTriage
}

/**
 * Counts a new issue in its labels and its milestone before it is inserted, which locks them until the transaction
 * ends. Returns the plan without rows that were deleted. Throws as `requireStillAssignable`.
 */
export async function countTriage(
  tx: Tx,
  repo: Repo,
  { labels, assignees, milestoneId }: TriageFields,
  { isClosed, at }: { readonly isClosed: boolean; readonly at: number },
): Promise<CountedTriage> {
  await requireStillAssignable(tx, repo, assignees)
  const labelIds = labels.map((label) => label.id)
  const counted = new Set(await addToLabelCounters(tx, labelIds, 1))
  const milestone = milestoneId
    ? await countInMilestone(tx, { repoId: repo.id, id: milestoneId }, milestoneCount({ isClosed }, 1), at)
    : undefined
  return { labels: labels.filter((label) => counted.has(label.id)), assignees, milestone }
}

/** Writes labels and assignees of a new issue, and the timeline entries and events about them and about its state. */
export async function recordTriage(change: NewIssueChange): Promise<void> {
  const { tx, issue, plan } = change
  const { labels, milestone } = plan
  const assigneeIds = plan.assignees.map((user) => user.id)
  await insertIssueLabels(tx, issue, labels)
  await insertAssignees(tx, issue, assigneeIds)
  const milestoneIds = milestone && { oldId: 0, newId: milestone.id }
  await addEntries(
    change,
    ...labels.map((label) => labelEntry(label, true)),
    ...(milestoneIds ? [milestoneEntry(milestoneIds)] : []),
    ...assigneeIds.map((id) => assigneeEntry(id, true)),
    ...(issue.isClosed ? [{ kind: 'close' } as const] : []),
  )
  await appendIssueEvents(change, triageEvents(change))
}

function triageEvents({ issue, plan: { labels, assignees, milestone } }: NewIssueChange): readonly NewIssueEvent[] {
  const addedIds = labels.map((label) => label.id)
  const added = { is_cleared: false, added_ids: addedIds, removed_ids: [] }
  const events: NewIssueEvent[] = []
  if (addedIds.length > 0) events.push({ kind: 'issue.labels_changed', payload: added })
  if (milestone) events.push({ kind: 'issue.milestone_changed', payload: { old_id: 0, new_id: milestone.id } })
  events.push(...assignees.map((user) => assigneeEvent(user.id, true)))
  if (issue.isClosed) events.push({ kind: 'issue.closed', payload: {} })
  return events
}
