import { canSeeRepo, asAccessMode } from '../../../core/access/repo-access.ts'
import { viewerOfAccount } from '../../../core/access/viewer.ts'
import type { Tx, Db } from '../../../core/db/database.ts'
import type { Events, Projections } from '../../../core/events/index.ts'
import { asId, type RepoId, type UserId, type TeamId } from '../../../core/platform/crypto/ids.ts'
import { findRepoById, type Repo } from '../repos/repo.store.ts'
import { loadRepoAccess, hiddenFrom } from '../repos/lookup.ts'
import { leavingProjections, userQueries, teamQueries } from '../../accounts/index.ts'
import { upsertCollaboration } from './collaboration.store.ts'

/**
 * A block deletes the collaborations of either account on repositories of the other; only those on the blocker's
 * repositories append events (behaviour/users-and-admin#blocking).
 */
export function collaboratorBlockProjections(events: Events): Projections {
  return {
    async 'user.blocked'(tx, { actor, at, payload }) {
      const [blocker, userId] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
      await deleteCollaborationsOn(tx, blocker, userId)
      const repoIds = await deleteCollaborationsOn(tx, userId, blocker)
      const user = repoIds.length === 0 ? undefined : await userQueries.findById(tx, userId)
      if (user === undefined) return
      for (const repoId of repoIds) {
        const repo = (await findRepoById(tx, repoId))!
        const hasAccess = canSeeRepo(await loadRepoAccess(tx, viewerOfAccount(user), repo))
        await events.append(
          tx,
          'repo.collaborator_removed',
          { actor, repoId, at },
          { repo_id: repoId, user_id: userId, has_access: hasAccess },
        )
      }
    },
  }
}

/** Deletes the collaborations of a user on the repositories of an owner; returns the repositories. */
async function deleteCollaborationsOn(tx: Tx, userId: UserId, ownerId: UserId): Promise<RepoId[]> {
  const owned = tx.selectFrom('repo').select('id').where('owner_id', '=', ownerId)
  const rows = await tx
    .deleteFrom('collaboration')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', owned)
    .returning('repo_id')
    .execute()
  return rows.map((row) => asId(row.repo_id))
}

/** Records of users in repositories that they can see, such as assignments to issues. */
interface RepoRecords {
  /** The repositories of an owner in which the user has records, including those that the user may not see. */
  listRepos(db: Db, userId: UserId, ownerId: UserId): Promise<Repo[]>
  /** The members of a team with records in the repository. */
  listTeamUsers(db: Db, teamId: TeamId, repoId: RepoId): Promise<UserId[]>
  deleteRecords(tx: Tx, userId: UserId, repoIds: readonly RepoId[]): Promise<void>
}

/**
 * Deletes the records of users who lost access to a repository (behaviour/repositories#collaborators). The users are
 * locked: a concurrent transaction that locks a user, checks its access and inserts a record either commits before this
 * one, or sees that the access is lost.
 */
export function lostAccessProjections({ listRepos, listTeamUsers, deleteRecords }: RepoRecords) {
  return {
    async 'repo.collaborator_removed'(tx, { payload }) {
      if (payload.has_access) return
      const userId = asId<UserId>(payload.user_id)
      await userQueries.lock(tx, [userId])
      await deleteRecords(tx, userId, [asId(payload.repo_id)])
    },
    async 'team.repo_removed'(tx, { payload }) {
      const repo = await findRepoById(tx, asId(payload.repo_id))
      if (repo === undefined) return
      const teamId = asId<TeamId>(payload.team_id)
      await userQueries.lock(tx, await teamQueries.listMemberIds(tx, teamId))
      for (const user of await userQueries.listByIds(tx, await listTeamUsers(tx, teamId, repo.id)))
        await deleteRecords(tx, user.id, await hiddenFrom(tx, user, [repo]))
    },
    ...leavingProjections(async (tx, orgId, user) => {
      await userQueries.lock(tx, [user.id])
      await deleteRecords(tx, user.id, await hiddenFrom(tx, user, await listRepos(tx, user.id, orgId)))
    }),
  } satisfies Projections
}

/** In an organization the creator of a repository becomes a collaborator of it (behaviour/repositories#access). */
export const repoCreatorProjections: Projections = {
  async 'repo.created'(tx, { actorId, repoId, at, payload: { creator_mode: mode } }) {
    if (mode !== undefined) await upsertCollaboration(tx, asId(repoId), asId(actorId), { mode: asAccessMode(mode), at })
  },
}
