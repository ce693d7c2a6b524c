import { type Actor, isSelf, isSiteAdmin, type SignedIn, type Viewer } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { forbidden, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { getKnownOwner } from '../users/owner-lookup.ts'
import { type User, lockUsers } from '../users/user.store.ts'
import type { OrgDeps } from './create-org.ts'
import { deleteMember, findMembership, listMembers, updateMemberVisibility } from './org.store.ts'
import type { OrgInView } from './orgs.service.ts'
import { isInAnyTeam } from './teams/teams.store.ts'
import { isLastOwner } from './teams/team.store.ts'

export type OrgMembers = ReturnType<typeof createOrgMembers>

export function createOrgMembers(deps: OrgDeps) {
  const { database } = deps
  const { read } = database
  /** Also finds members whose account is hidden from the viewer, if the viewer sees them in the list of members. */
  const getUser = (viewer: Viewer, { org, isMember }: OrgInView, name: string): Promise<User> =>
    getKnownOwner(read, viewer, name, async (user) => {
      const membership = await findMembership(read, org.id, user.id)
      return membership !== undefined && (membership.isPublic || isMember || isSiteAdmin(viewer))
    })
  return {
    /**
     * All members for members and site administrators, public members for others. Restricted members see the public
     * members and the members of their own teams.
     */
    async list(viewer: Viewer, { org, isMember }: OrgInView, paging: Paging): Promise<Page<User>> {
      if (viewer.kind === 'anonymous' || !(isMember || isSiteAdmin(viewer)))
        return listMembers(read, org.id, 'public', paging)
      const isLimited = viewer.account.isRestricted && !viewer.account.isAdmin
      return listMembers(read, org.id, isLimited ? { sharingTeamWith: viewer.account.id } : 'all', paging)
    },

    listPublic: (org: User, paging: Paging): Promise<Page<User>> => listMembers(read, org.id, 'public', paging),

    /** `elsewhere`: redirect the client to the public members. Throws NotFound for an unknown user. */
    async check(viewer: SignedIn, found: OrgInView, name: string): Promise<'member' | 'not-member' | 'elsewhere'> {
      const { org, isMember } = found
      const user = await getUser(viewer, found, name)
      if (isMember || isSiteAdmin(viewer))
        return (await findMembership(read, org.id, user.id)) ? 'member' : 'not-member'
      return isSelf(viewer, user.id) ? 'not-member' : 'elsewhere'
    },

    /** Throws NotFound unless the membership is public. */
    async requirePublic(viewer: Viewer, found: OrgInView, name: string): Promise<void> {
      const user = await getUser(viewer, found, name)
      const membership = await findMembership(read, found.org.id, user.id)
      if (!membership?.isPublic) throw notFound('user is not a public member')
    },

    /**
     * Does nothing for a user who is not a member. Throws Forbidden when the actor is not an owner and changes another
     * member.
     */
    async setPublic(
      actor: SignedIn,
      found: OrgInView,
      { name, isPublic }: { readonly name: string; readonly isPublic: boolean },
    ): Promise<void> {
      const { org, isOwner } = found
      const user = await getUser(actor, found, name)
      if (!(isSelf(actor, user.id) || isOwner || isSiteAdmin(actor))) throw forbidden('Cannot change member visibility')
      await database.transaction((tx) => updateMemberVisibility(tx, org.id, user.id, isPublic))
    },

    /**
     * Deletes the memberships in teams, too; does nothing for a user who is not a member. Throws Invalid for the last
     * owner.
     */
    async delete(actor: SignedIn, found: OrgInView, name: string): Promise<void> {
      const user = await getUser(actor, found, name)
      await database.transaction((tx) => deleteMembership(deps, tx, { actor, org: found.org, user }))
    },
  }
}

/** Throws invalid for the last owner. */
async function deleteMembership(
  deps: OrgDeps,
  tx: Tx,
  { actor, org, user }: { actor: Actor; org: User; user: User },
): Promise<void> {
  await lockUsers(tx, [user.id])
  if ((await findMembership(tx, org.id, user.id)) === undefined) return
  if (await isLastOwner(tx, deps.database.dialect, org.id, user.id)) throw errors.lastOwner()
  await deleteMember(tx, org.id, user.id)
  await deps.events.append(
    tx,
    'org.member_removed',
    { actor, repoId: 0, at: deps.clock.now() },
    { org_id: org.id, user_id: user.id },
  )
}

/** Deletes the membership of a user who is in no team. Returns whether the user is still a member. */
export async function deleteTeamlessMember(
  deps: OrgDeps,
  tx: Tx,
  leaver: { readonly actor: Actor; readonly org: User; readonly user: User },
): Promise<boolean> {
  if (await isInAnyTeam(tx, leaver.org.id, leaver.user.id)) return true
  await deleteMembership(deps, tx, leaver)
  return false
}
