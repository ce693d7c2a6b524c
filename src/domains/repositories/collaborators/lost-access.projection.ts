import type { Db, Tx } from '../../../core/db/database.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId, type RepoId, type TeamId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { leavingProjections, listTeamMemberIds, listUsersByIds, lockUsers } from '../../accounts/index.ts'
import { type Repo, findRepoById } from '../repos/repo.store.ts'
import { hiddenFrom } from '../repos/lookup.ts'

/** What users have in repositories that they can see, such as assignments to issues. */
interface RepoRecords {
  /** The repositories of an owner in which the user has records, including those that it may not see. */
  listRepos(db: Db, userId: UserId, ownerId: UserId): Promise<Repo[]>
  /** The members of a team who have records in the repository. */
  listTeamUsers(db: Db, teamId: TeamId, repoId: RepoId): Promise<UserId[]>
  deleteRecords(tx: Tx, userId: UserId, repoIds: readonly RepoId[]): Promise<void>
}

/**
 * Deletes the records of users who may no longer see a repository (behaviour/repositories#collaborators). The users are
 * locked: a transaction that locks a user, checks its access and inserts a record is committed before, or refuses.
 */
export function lostAccessProjections({ listRepos, listTeamUsers, deleteRecords }: RepoRecords) {
  return {
    async 'repo.collaborator_removed'(tx, { payload }) {
      if (payload.has_access) return
      const userId = asId<UserId>(payload.user_id)
      await lockUsers(tx, [userId])
      await deleteRecords(tx, userId, [asId(payload.repo_id)])
    },
    async 'team.repo_removed'(tx, { payload }) {
      const repo = await findRepoById(tx, asId(payload.repo_id))
      if (repo === undefined) return
      const teamId = asId<TeamId>(payload.team_id)
      await lockUsers(tx, await listTeamMemberIds(tx, teamId))
      for (const user of await listUsersByIds(tx, await listTeamUsers(tx, teamId, repo.id)))
        await deleteRecords(tx, user.id, await hiddenFrom(tx, user, [repo]))
    },
    ...leavingProjections(async (tx, orgId, user) => {
      await lockUsers(tx, [user.id])
      await deleteRecords(tx, user.id, await hiddenFrom(tx, user, await listRepos(tx, user.id, orgId)))
    }),
  } satisfies Projections
}
