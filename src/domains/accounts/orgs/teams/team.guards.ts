import { isSiteAdmin } from '../../../../core/access/viewer.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { parseInteger } from '../../../../core/platform/paging.ts'
import type { TeamInView, Teams } from './teams.service.ts'

export type TeamGuard = (role: 'see' | 'member' | 'owner') => Guard<TeamInView>

const DESCRIPTIONS = {
  see: 'callers that may see the team',
  member: 'a member of the team or an owner of the organization',
  owner: 'an owner of the organization',
} as const

/**
 * `{id}` of a team: 404 for unknown teams before any other check, 404 for users outside of the organization, 403 for
 * members outside of the team, and 404 for changes by plain members (behaviour/orgs-webhooks-actions#conventions).
 */
export function createTeamGuard(teams: Teams): TeamGuard {
  return (role) => ({
    kind: 'team',
    describe: DESCRIPTIONS[role],
    needsUser: true,
    hideBeforeAuth: true,
    resolve: ({ viewer, params }) => teams.getInView(viewer, asId(parseInteger(params['id']))),
    privacy: ({ org }) => (org.visibility === 'public' ? undefined : 'token scope is limited to public orgs'),
    decide: ({ team, isOwner, isTeamMember, isOrgMember }, { viewer }) => {
      if (isOwner || isSiteAdmin(viewer)) return
      if (role === 'see' && team.visibility !== 'private') return
      if (!isOrgMember) throw errors.teamNotFound()
      if (!isTeamMember) throw errors.teamMemberRequired()
      if (role === 'owner') throw notFound('only an organization owner may do this')
    },
  })
}
