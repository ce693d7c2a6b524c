import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { errors } from '../../../errors.ts'
import { userQueries } from '../../../accounts/index.ts'
import { accessQueries, collaboratorQueries, type Repo } from '../../../repositories/index.ts'
import { canBeAssigned } from '../issue.policy.ts'
import { listAssigneeIds } from '../records/issue-assignee.store.ts'
import { type Issue, updateIssue } from '../records/issue.store.ts'
import type { IssueInView } from '../views.ts'
import type { IssueDeps } from './create-issue.ts'
import { changeLocked } from './edit-issue.ts'
import { changeAssignees, findAccounts, findAssignees } from './triage-new-issue.ts'

/** The change of the assignees with these logins; the others stay. */
interface AssigneesEdit {
  readonly logins: readonly string[]
  readonly isRemoval: boolean
}

/**
 * Adds or removes assignees of an issue. Throws Invalid for an unknown login and for one that cannot be assigned,
 * Forbidden as `changeAssignees`.
 */
export async function editAssignees(
  deps: IssueDeps,
  actor: SignedIn,
  target: IssueInView,
  { logins, isRemoval }: AssigneesEdit,
): Promise<Issue> {
  const { read } = deps.database
  const find = isRemoval ? findAccounts : findAssignees
  const named = await find(read, actor, target.repo, logins)
  const ids = new Set(named.map((user) => user.id))
  return changeLocked(deps, actor, target, async (change) => {
    const { tx, issue, at } = change
    const before = await userQueries.listByIds(tx, (await listAssigneeIds(tx, [issue.id])).get(issue.id) ?? [])
    const others = before.filter((user) => !ids.has(user.id))
    const wanted = isRemoval ? others : [...before, ...named.filter((user) => !before.some(({ id }) => id === user.id))]
    return (await changeAssignees(change, wanted)) ? updateIssue(tx, issue.id, { updated_at: at }) : issue
  })
}

/** Throws NotFound if the account does not exist or cannot be assigned to issues of the repository. */
export async function requireAssignee(read: Db, viewer: SignedIn, repo: Repo, login: string): Promise<void> {
  const user = await collaboratorQueries.findNamedAccount(read, viewer, repo, login)
  if (user === undefined || user.kind === 'organization') throw errors.userNotFound()
  if (!canBeAssigned(await accessQueries.load(read, viewerOfAccount(user), repo))) throw errors.userNotFound()
}
