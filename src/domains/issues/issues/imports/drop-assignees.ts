import type { Tx } from '../../../../core/db/database.ts'
import { viewerOfAccount } from '../../../../core/access/viewer.ts'
import { userQueries } from '../../../accounts/index.ts'
import { accessQueries, type Repo } from '../../../repositories/index.ts'
import { canBeAssigned } from '../issue.policy.ts'
import { deleteAssignments, listRepoAssigneeIds } from '../records/issue-assignee.store.ts'

/**
 * Unassigns users who cannot be assigned in the repository, from all its issues and pull requests; returns their names.
 */
export async function dropImportedAssignees(tx: Tx, repo: Repo): Promise<string[]> {
  const dropped: string[] = []
  for (const user of await userQueries.listByIds(tx, await listRepoAssigneeIds(tx, repo.id))) {
    if (canBeAssigned(await accessQueries.load(tx, viewerOfAccount(user), repo))) continue
    await deleteAssignments(tx, user.id, [repo.id])
    dropped.push(user.name)
  }
  return dropped
}
