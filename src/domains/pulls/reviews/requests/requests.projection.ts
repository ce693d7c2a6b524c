import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { deleteRequestsOfAccount, deleteRequestsOfTeam, deleteTeamRequestsIn } from './request.store.ts'

/** Requests of those who are gone are withdrawn: nobody could name them, and an official one blocks the merge. */
export const requestProjections: Projections = {
  async 'repo.transferred'(tx, { payload }) {
    await deleteTeamRequestsIn(tx, asId(payload.repo_id))
  },
  async 'team.deleted'(tx, { payload }) {
    await deleteRequestsOfTeam(tx, asId(payload.team_id))
  },
  async 'user.deleting'(tx, { payload }) {
    await deleteRequestsOfAccount(tx, asId(payload.user_id))
  },
}
