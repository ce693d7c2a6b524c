import type { Tx } from '../../../core/db/database.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { lostAccessProjections } from '../../repositories/index.ts'
import { deleteAssignments, listAssignedRepos, listTeamAssignees } from './records/issue-assignee.store.ts'

/**
 * A block deletes the assignments of either account in repositories of the other (behaviour/users-and-admin#blocking);
 * users who may no longer see a repository are no longer assignees there.
 */
export const assignmentProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteAssignmentsOn(tx, user, blocker)
    await deleteAssignmentsOn(tx, blocker, user)
  },
  ...lostAccessProjections({
    listRepos: listAssignedRepos,
    listTeamUsers: listTeamAssignees,
    deleteRecords: deleteAssignments,
  }),
}

async function deleteAssignmentsOn(tx: Tx, userId: UserId, ownerId: UserId): Promise<void> {
  const repos = await listAssignedRepos(tx, userId, ownerId)
  await deleteAssignments(
    tx,
    userId,
    repos.map((repo) => repo.id),
  )
}
