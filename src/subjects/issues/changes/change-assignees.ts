import { viewerOfAccount } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import { invalid } from '../../../platform/errors.ts'
import { loadRepoAccess, type Repo } from '../../repos/index.ts'
import { findUserByName, lockUsers, requireUnblocked, type User } from '../../users/index.ts'
import { canBeAssigned } from '../issue.policy.ts'
import { deleteAssignee, insertAssignee, listAssigneeIds } from '../records/issue-assignee.store.ts'
import { type AccountChange, addEntries, appendIssueEvent } from './issue-change.ts'

/**
 * The users with these logins, each once. Throws Invalid for an unknown one, for an organization, and for a user whom
 * issues of the repository cannot be assigned to.
 */
export async function findAssignees(db: Db, repo: Repo, logins: readonly string[]): Promise<User[]> {
  const found = new Map<number, User>()
  for (const login of logins) {
    const user = await findUserByName(db, login)
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
 * Makes `users` the assignees of the issue. Throws Forbidden when one of the new ones blocks the acting account, Invalid
 * when one has lost access since it was looked up. The new ones are locked, as by what deletes assignments
 * (assignments.projection.ts): it is committed before the check, or sees what the transaction inserts.
 */
export async function changeAssignees(change: AccountChange, users: readonly User[]): Promise<boolean> {
  const { tx, issue, actor, repo } = change
  const before = (await listAssigneeIds(tx, [issue.id])).get(issue.id) ?? []
  const removed = before.filter((id) => !users.some((user) => user.id === id))
  const added = users.filter((user) => !before.includes(user.id))
  if (added.length > 0 && !actor.account.isAdmin)
    await requireUnblocked(
      tx,
      actor.account.id,
      added.map((user) => user.id),
    )
  await lockUsers(
    tx,
    added.map((user) => user.id),
  )
  for (const user of added) await requireAssignable(tx, repo, user)
  for (const userId of removed) {
    await deleteAssignee(tx, issue.id, userId)
    await addEntries(change, { kind: 'assignees', targetId: userId, payload: { isRemoved: true } })
    await appendIssueEvent(change, 'issue.unassigned', { user_id: userId })
  }
  for (const { id } of added) {
    await insertAssignee(tx, issue, id)
    await addEntries(change, { kind: 'assignees', targetId: id, payload: { isRemoved: false } })
    await appendIssueEvent(change, 'issue.assigned', { user_id: id })
  }
  return removed.length + added.length > 0
}
