import type { Tx } from '../../db/database.ts'
import type { Projections } from '../../events/index.ts'
import { asId, type UserId } from '../../platform/ids.ts'
import { findTeamById } from '../orgs/index.ts'
import { listUsersByIds } from '../users/index.ts'
import { deleteHiddenWatches } from './watches/hidden-watches.ts'
import { deleteStarsOfOwner } from './owner-cleanup.store.ts'
import { watchReposOfTeam } from './watches/team-watch.store.ts'

/**
 * Members watch the repositories of the teams that they join, where `autoWatch` says so, and stop watching what they can
 * no longer see; an organization that turns private loses the stars of its repositories.
 */
export function socialOrgProjections({ autoWatch }: { readonly autoWatch: boolean }): Projections {
  return {
    async 'org.visibility_changed'(tx, { payload: { org_id, visibility } }) {
      if (visibility === 'private') await deleteStarsOfOwner(tx, asId(org_id))
    },
    'org.member_removed': (tx, { payload: { org_id, user_id } }) => stopWatchingHidden(tx, org_id, [user_id]),
    async 'team.member_added'(tx, { at, payload: { org_id, team_id, user_id } }) {
      const team = autoWatch ? await findTeamById(tx, asId(team_id)) : undefined
      if (team === undefined) return
      await watchReposOfTeam(tx, team, asId(user_id), at)
      await stopWatchingHidden(tx, org_id, [user_id])
    },
    'team.member_removed': (tx, { payload: { org_id, user_id } }) => stopWatchingHidden(tx, org_id, [user_id]),
    'team.deleted': (tx, { payload: { org_id, member_ids = [] } }) => stopWatchingHidden(tx, org_id, member_ids),
  }
}

async function stopWatchingHidden(tx: Tx, orgId: number, userIds: readonly number[]): Promise<void> {
  const users = await listUsersByIds(
    tx,
    userIds.map((id) => asId<UserId>(id)),
  )
  for (const user of users) await deleteHiddenWatches(tx, { id: asId(orgId) }, user)
}
