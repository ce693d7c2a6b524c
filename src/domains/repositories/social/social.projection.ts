import type { Tx } from '../../../core/db/database.ts'
import type { DomainEvent, Projections } from '../../../core/events/index.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { findTeamById, findUserById, leavingProjections } from '../../accounts/index.ts'
import { deleteStarsAndWatchesOn, deleteStarsOfOwner } from './owner-cleanup.store.ts'
import { deleteStarsOf } from './star.store.ts'
import { deleteHiddenWatches } from './watches/hidden-watches.ts'
import { watchNewRepo, watchReposOfTeam } from './watches/team-watch.store.ts'

/** The creator watches its new repository where the server is configured so. */
export const repoWatchProjections = {
  async 'repo.created'(
    tx: Tx,
    { actorId, repoId, at, payload: { auto_watch: autoWatch, org_id: orgId } }: DomainEvent<'repo.created'>,
  ) {
    if (autoWatch !== true) return
    await watchNewRepo(tx, {
      repoId: asId(repoId),
      creatorId: asId(actorId),
      orgId: orgId === undefined ? undefined : asId(orgId),
      at,
    })
  },
} satisfies Projections

/** Deletes the stars of repositories that become private. */
export const repoStarProjections: Projections = {
  async 'repo.edited'(tx, { payload: { made_private: ids = [] } }) {
    for (const id of ids) await deleteStarsOf(tx, asId(id))
  },
}

/**
 * A block deletes the stars and watches of either account on repositories of the other
 * (behaviour/users-and-admin#blocking).
 */
export const socialBlockProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteStarsAndWatchesOn(tx, user, blocker)
    await deleteStarsAndWatchesOn(tx, blocker, user)
  },
}

/**
 * With `autoWatch` a user watches the repositories of a team that it joins. Who leaves stops watching repositories that
 * it can no longer see. When an organization becomes private, the stars of its repositories are deleted.
 */
export function socialOrgProjections({ autoWatch }: { readonly autoWatch: boolean }): Projections {
  return {
    async 'org.visibility_changed'(tx, { payload: { org_id, visibility } }) {
      if (visibility === 'private') await deleteStarsOfOwner(tx, asId(org_id))
    },
    async 'team.member_added'(tx, { at, payload: { org_id, team_id, user_id } }) {
      const team = autoWatch ? await findTeamById(tx, asId(team_id)) : undefined
      if (team === undefined) return
      await watchReposOfTeam(tx, team, asId(user_id), at)
      const user = await findUserById(tx, asId(user_id))
      if (user !== undefined) await deleteHiddenWatches(tx, { id: asId(org_id) }, user)
    },
    ...leavingProjections((tx, orgId, user) => deleteHiddenWatches(tx, { id: orgId }, user)),
  }
}
