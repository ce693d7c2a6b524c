import type { Tx } from '../../db/database.ts'
import type { Projections } from '../../events/index.ts'
import { asId, type TeamId, type UserId } from '../../platform/crypto/ids.ts'
import { leavingProjections, listTeamMemberIds } from '../orgs/index.ts'
import { findRepoById, hiddenFrom } from '../repos/index.ts'
import { listUsersByIds, lockUsers, type User } from '../users/index.ts'
import { deleteAssignments, listAssignedRepos, listTeamAssignees } from './records/issue-assignee.store.ts'

/**
 * A block deletes the assignments of either account in repositories of the other (behaviour/users-and-admin#blocking);
 * whoever may no longer see a repository is no longer an assignee there (behaviour/repositories#collaborators).
 */
export const assignmentProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteAssignmentsOn(tx, user, blocker)
    await deleteAssignmentsOn(tx, blocker, user)
  },
  async 'repo.collaborator_removed'(tx, { payload }) {
    if (payload.has_access) return
    const userId = asId<UserId>(payload.user_id)
    await lockUsers(tx, [userId])
    await deleteAssignments(tx, userId, [asId(payload.repo_id)])
  },
  async 'team.repo_removed'(tx, { payload }) {
    const repo = await findRepoById(tx, asId(payload.repo_id))
    if (repo === undefined) return
    const teamId = asId<TeamId>(payload.team_id)
    await lockUsers(tx, await listTeamMemberIds(tx, teamId))
    const userIds = await listTeamAssignees(tx, teamId, repo.id)
    for (const user of await listUsersByIds(tx, userIds))
      await deleteAssignments(tx, user.id, await hiddenFrom(tx, user, [repo]))
  },
  ...leavingProjections(deleteHiddenAssignments),
}

async function deleteAssignmentsOn(tx: Tx, userId: UserId, ownerId: UserId): Promise<void> {
  const repos = await listAssignedRepos(tx, userId, ownerId)
  await deleteAssignments(
    tx,
    userId,
    repos.map((repo) => repo.id),
  )
}

async function deleteHiddenAssignments(tx: Tx, orgId: UserId, user: User): Promise<void> {
  await lockUsers(tx, [user.id])
  await deleteAssignments(tx, user.id, await hiddenFrom(tx, user, await listAssignedRepos(tx, user.id, orgId)))
}
