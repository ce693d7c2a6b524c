import { canSeeRepo } from '../../../core/access/repo-access.ts'
import { viewerOfAccount } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Events, Projections } from '../../../core/events/index.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { loadRepoAccess } from '../repos/lookup.ts'
import { findUserById } from '../../accounts/index.ts'

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
      const user = repoIds.length === 0 ? undefined : await findUserById(tx, userId)
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
