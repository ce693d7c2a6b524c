import { canSeeRepo } from '../../access/repo-access.ts'
import { isSelf, isSiteAdmin, type SignedIn, type Viewer, viewerOfAccount } from '../../access/viewer.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/index.ts'
import { forbidden, invalid, notFound } from '../../platform/errors.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { getUserByName, loadRepoAccesses } from '../repos/lookup.ts'
import { deleteWatches, listWatchedOf } from '../social/watch-cleanup.store.ts'
import { holdUsers, type User } from '../users/user.store.ts'
import type { OrgDeps } from './deps.ts'
import { deleteMember, findMembership, listMembers, updateMemberVisibility } from './org.store.ts'
import type { OrgInView } from './orgs.service.ts'
import { isInAnyTeam } from './team-list.store.ts'
import { isLastOwner } from './team.store.ts'

export interface OrgMembers {
  /**
   * All for members and site administrators, for others those who show themselves; a restricted member sees its team
   * mates.
   */
  list(viewer: Viewer, found: OrgInView, paging: Paging): Promise<Page<User>>
  listPublic(org: User, paging: Paging): Promise<Page<User>>
  /** `elsewhere`: the caller must ask among the public members. Throws NotFound for an unknown user. */
  check(viewer: SignedIn, found: OrgInView, name: string): Promise<'member' | 'stranger' | 'elsewhere'>
  /** Throws NotFound unless the user shows its membership. */
  requirePublic(org: User, name: string): Promise<void>
  /** Somebody who is no member is left alone. Throws forbidden for a plain member changing somebody else. */
  setPublic(
    viewer: SignedIn,
    found: OrgInView,
    change: { readonly name: string; readonly isPublic: boolean },
  ): Promise<void>
  /** Leaves all teams too; somebody who is no member is left alone. Throws invalid for the last owner. */
  remove(actorId: UserId, org: User, name: string): Promise<void>
}

export function createOrgMembers(deps: OrgDeps): OrgMembers {
  const { database } = deps
  const { read } = database
  const getUser = (name: string): Promise<User> => getUserByName(read, name)
  return {
    async list(viewer, { org, isMember }, paging) {
      if (viewer.kind === 'anonymous' || !(isMember || isSiteAdmin(viewer)))
        return listMembers(read, org.id, 'public', paging)
      const limited = viewer.account.isRestricted && !viewer.account.isAdmin
      return listMembers(read, org.id, limited ? { teamMatesOf: viewer.account.id } : 'all', paging)
    },

    listPublic: (org, paging) => listMembers(read, org.id, 'public', paging),

    async check(viewer, { org, isMember }, name) {
      const user = await getUser(name)
      if (isMember || isSiteAdmin(viewer)) return (await findMembership(read, org.id, user.id)) ? 'member' : 'stranger'
      return isSelf(viewer, user.id) ? 'stranger' : 'elsewhere'
    },

    async requirePublic(org, name) {
      const membership = await findMembership(read, org.id, (await getUser(name)).id)
      if (!membership?.isPublic) throw notFound('user is not a public member')
    },

    async setPublic(viewer, { org, isOwner }, { name, isPublic }) {
      const user = await getUser(name)
      if (!(isSelf(viewer, user.id) || isOwner || isSiteAdmin(viewer)))
        throw forbidden('Cannot change member visibility')
      await database.transaction((tx) => updateMemberVisibility(tx, org.id, user.id, isPublic))
    },

    async remove(actorId, org, name) {
      const user = await getUser(name)
      await database.transaction((tx) => removeMember(deps, tx, { actorId, org, user }))
    },
  }
}

/** Throws invalid for the last owner. */
export async function removeMember(
  deps: OrgDeps,
  tx: Tx,
  { actorId, org, user }: { actorId: UserId; org: User; user: User },
): Promise<void> {
  await holdUsers(tx, [user.id])
  if ((await findMembership(tx, org.id, user.id)) === undefined) return
  if (await isLastOwner(tx, deps.database.dialect, org.id, user.id))
    throw invalid('user is the last owner of the organization')
  await deleteMember(tx, org.id, user.id)
  await dropHiddenWatches(tx, org, user)
  await appendEvent(
    tx,
    'org.member_removed',
    { actorId, repoId: 0, at: deps.clock.now() },
    { org_id: org.id, user_id: user.id },
  )
}

/**
 * Whoever is in no team any more leaves the organization, others stop watching what they could see by that team alone.
 */
export async function leftTeam(
  deps: OrgDeps,
  tx: Tx,
  leaver: { readonly actorId: UserId; readonly org: User; readonly user: User },
): Promise<void> {
  if (await isInAnyTeam(tx, leaver.org.id, leaver.user.id)) await dropHiddenWatches(tx, leaver.org, leaver.user)
  else await removeMember(deps, tx, leaver)
}

/** A user stops watching what it can no longer see of the organization. */
export async function dropHiddenWatches(tx: Tx, org: User, user: User): Promise<void> {
  const watched = await listWatchedOf(tx, user.id, org.id)
  const accesses = await loadRepoAccesses(tx, viewerOfAccount(user), watched)
  const hidden = watched.filter((repo) => !canSeeRepo(accesses.get(repo.id)!))
  await deleteWatches(
    tx,
    user.id,
    hidden.map((repo) => repo.id),
  )
}
