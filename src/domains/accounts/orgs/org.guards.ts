import { isSiteAdmin } from '../../../core/access/viewer.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { errors } from '../../errors.ts'
import type { User } from '../users/user.store.ts'
import type { OrgInView, Orgs } from './orgs.service.ts'

type OrgRole = 'see' | 'member' | 'owner'
export type OrgGuard = (role: OrgRole, options?: { needsUser?: boolean }) => Guard<OrgInView>

export interface OrgGuards {
  readonly org: OrgGuard
}

export const createOrgGuards = (orgs: Orgs): OrgGuards => ({
  org: createOrgGuard(orgs),
})

/**
 * `{org}`: 404 for hidden or missing organizations, then checks membership or ownership
 * (behaviour/auth-and-access#refusals).
 */
function createOrgGuard(orgs: Orgs): OrgGuard {
  return (role, options = {}) => ({
    kind: 'org',
    describe: role === 'see' ? 'callers that may see the organization' : `an organization ${role}`,
    needsUser: options.needsUser ?? role !== 'see',
    resolve: ({ viewer, params }) => orgs.getInView(viewer, params['org']!),
    privacy: ({ org }) => publicOnlyRefusal(org),
    decide: ({ isMember, isOwner }, { viewer }) => {
      if (isSiteAdmin(viewer)) return
      if (role === 'owner' && !isOwner) throw errors.organizationOwnerRequired()
      if (role === 'member' && !isMember) throw errors.organizationMemberRequired()
    },
  })
}

const publicOnlyRefusal = (org: User): string | undefined =>
  org.visibility === 'public' ? undefined : 'token scope is limited to public orgs'
