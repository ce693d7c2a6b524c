import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { type Repo, findNamedAccount, loadRepoAccess } from '../../../repositories/index.ts'
import { type User, lockUsers, requireUnblocked } from '../../../accounts/index.ts'
import { canBeAssigned } from '../issue.policy.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { deleteAssignees, insertAssignees, listAssigneeIds } from '../records/issue-assignee.store.ts'
import type { NewEntry } from '../timeline/timeline-entry.store.ts'
import { type AccountChange, addEntries, appendIssueEvents, type NewIssueEvent } from './issue-change.ts'

/**
 * The users with these logins, each once. Throws Invalid for an unknown one, for an organization, and for a user whom
 * issues of the repository cannot be assigned to.
 */
export async function findAssignees(db: Db, viewer: SignedIn, repo: Repo, logins: readonly string[]): Promise<User[]> {
  const found = new Map<number, User>()
  for (const login of logins) {
    const user = await findNamedAccount(db, viewer, repo, login)
    if (user === undefined || user.kind === 'organization')
      throw invalid(`Assignee does not exist: [name: user does not exist [uid: 0, name: ${login}]]`)
    await requireAssignable(db, repo, user)
    found.set(user.id, user)
  }
  return [...found.values()]
}

async function requireAssignable(db: Db, repo: Repo, user: User): Promise<void> {
  if (!canBeAssigned(await loadRepoAccess(db, viewerOfAccount(user), repo)))
    throw invalid(`[Assignees]: ${user.name} has no access to the repository`)
}

/**
 * Throws Invalid when one of the users has lost access since it was looked up. They are locked, as by what deletes
 * assignments (assignments.projection.ts): it is committed before the check, or sees what the transaction inserts.
 */
export async function requireStillAssignable(tx: Tx, repo: Repo, users: readonly User[]): Promise<void> {
  await lockUsers(
    tx,
    users.map((user) => user.id),
  )
  for (const user of users) await requireAssignable(tx, repo, user)
}

/**
 * Makes `users` the assignees of the issue. Throws Forbidden when one of the new ones blocks the acting account, and as
 * `requireStillAssignable`.
 */
export async function changeAssignees(change: AccountChange, users: readonly User[]): Promise<boolean> {
  const { tx, issue, actor, repo } = change
  const before = (await listAssigneeIds(tx, [issue.id])).get(issue.id) ?? []
  const removed = before.filter((id) => !users.some((user) => user.id === id))
  const added = users.filter((user) => !before.includes(user.id))
  const addedIds = added.map((user) => user.id)
  if (!actor.account.isAdmin) await requireUnblocked(tx, actor.account.id, addedIds)
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

export const assigneeEntry = (userId: UserId, isAdded: boolean): NewEntry => ({
  kind: 'assignees',
  targetId: userId,
  payload: { isRemoved: !isAdded },
})

export const assigneeEvent = (userId: UserId, isAdded: boolean): NewIssueEvent => ({
  kind: isAdded ? 'issue.assigned' : 'issue.unassigned',
  payload: { user_id: userId },
})
