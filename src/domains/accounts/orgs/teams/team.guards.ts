import { isSiteAdmin } from '../../../../core/access/viewer.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { parseInteger } from '../../../../core/platform/paging.ts'
import type { TeamInView, Teams } from './teams.service.ts'

export type TeamGuard = (role: 'member' | 'owner') => Guard<TeamInView>

/**
 * `{id}` of a team: 404 for unknown teams before any other check, 404 for users outside of the organization, 403 for
 * members outside of the team, and 404 for changes by plain members (behaviour/orgs-webhooks-actions#conventions).
 */
export function createTeamGuard(teams: Teams): TeamGuard {
  return (role) => ({
    kind: 'team',
    describe:
      role === 'owner' ? 'an owner of the organization' : 'a member of the team or an owner of the organization',
    needsUser: true,
    hideBeforeAuth: true,
    resolve: ({ viewer, params }) => teams.getInView(viewer, asId(parseInteger(params['id']))),
    privacy: ({ org }) => (org.visibility === 'public' ? undefined : 'token scope is limited to public orgs'),
    decide: ({ isOwner, isTeamMember }, { viewer }) => {
      if (isOwner || isSiteAdmin(viewer)) return
      if (!isTeamMember) throw errors.teamMemberRequired()
      if (role === 'owner') throw notFound('only an organization owner may do this')
    },
  })
}
