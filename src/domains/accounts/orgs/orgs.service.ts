import type { AccessMode } from '../../../core/access/repo-access.ts'
import { isOrgMember, isOrgOwner } from '../../../core/access/repo-grants.store.ts'
import {
  type Actor,
  isPublicOnly,
  isSelf,
  isSiteAdmin,
  type SignedIn,
  type Viewer,
  type Visibility,
} from '../../../core/access/viewer.ts'
import { invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { getOwnerInView } from '../users/owner-lookup.ts'
import { renameOwner } from '../users/accounts/create-user.ts'
import { changeProfile } from '../users/settings/user-settings.store.ts'
import { type User, findUserById, lockUserToDelete } from '../users/user.store.ts'
import { createOrg, type NewOrg, type OrgProfile, type OrgDeps } from './create-org.ts'
import { listOrgs } from './org.store.ts'
import { loadOrgRights } from './teams/team.store.ts'
import { deleteUser } from '../users/accounts/user-deletion.store.ts'
import { isEmailAddress } from '../users/users.policy.ts'

/** Absent members are unchanged. Throws Invalid for a bad e-mail address. */
async function editOrg(
  deps: OrgDeps,
  actor: Actor,
  { org, changes }: { org: User; changes: OrgProfile },
): Promise<User> {
  if (changes.email && !isEmailAddress(changes.email))
    throw invalid(`e-mail address contains unsupported character [email: ${changes.email}]`)
  const now = deps.clock.now()
  return deps.database.transaction(async (tx) => {
    await changeProfile(tx, org.id, changes, now)
    const { visibility } = changes
    if (visibility !== undefined && visibility !== org.visibility) {
      await deps.events.append(
        tx,
        'org.visibility_changed',
        { actor, repoId: 0, at: now },
        { org_id: org.id, visibility, old_visibility: org.visibility },
      )
    }
    const edited = await findUserById(tx, org.id)
    if (edited === undefined) throw unknown(org)
    return edited
  })
}

const unknown = (org: User): Error => notFound(`organization does not exist [uid: ${org.id}]`)

/** Throws Invalid while the organization owns a repository or a package, NotFound after a concurrent deletion. */
async function deleteOrg(deps: OrgDeps, actor: Actor, org: User): Promise<void> {
  const { database, clock, events, ownedRepos, ownsPackages } = deps
  await database.transaction(async (tx) => {
    const origin = { actor, repoId: 0, at: clock.now() }
    if (!(await lockUserToDelete(tx, org.id))) throw unknown(org)
    const owned = await ownedRepos.get()(tx, org.id).limit(1).executeTakeFirst()
    if (owned !== undefined) throw invalid('user still has ownership of repositories')
    if (await ownsPackages.first(tx, org.id)) throw invalid('user still has ownership of packages')
    await events.append(tx, 'user.deleting', origin, { user_id: org.id, name: org.name })
    await deleteUser(tx, org.id)
    await events.append(tx, 'org.deleted', origin, { org_id: org.id, name: org.name })
  })
}

export interface OrgInView {
  readonly org: User
  readonly isMember: boolean
  readonly isOwner: boolean
}

interface OrgRights {
  /** The highest level of the user's teams; none for teams with levels by unit. */
  readonly mode: AccessMode
  readonly canCreateRepo: boolean
}

const ALL_VISIBILITIES: readonly Visibility[] = ['public', 'limited', 'private']

export type Orgs = ReturnType<typeof createOrgs>

export function createOrgs(deps: OrgDeps) {
  const { read } = deps.database
  return {
    /**
     * The organization with the viewer's roles. Throws NotFound for users and for hidden or missing organizations,
     * Moved after a rename.
     */
    async getInView(viewer: Viewer, name: string): Promise<OrgInView> {
      const org = await getOwnerInView(read, viewer, name)
      if (org.kind !== 'organization') throw errors.organizationNotFound()
      if (viewer.kind === 'anonymous') return { org, isMember: false, isOwner: false }
      const isMember = await isOrgMember(read, org.id, viewer.account.id)
      return { org, isMember, isOwner: isMember && (await isOrgOwner(read, org.id, viewer.account.id)) }
    },

    /** Every organization that the viewer may see, A-Z. */
    list: (viewer: Viewer, paging: Paging): Promise<Page<User>> =>
      listOrgs(read, { visibilities: listedVisibilities(viewer) }, paging),
    /** All organizations whatever their visibility. */
    listAll: (paging: Paging): Promise<Page<User>> => listOrgs(read, { visibilities: ALL_VISIBILITIES }, paging),

    /**
     * The organizations of a member. The member and site administrators see all; others see the visible ones with a
     * public membership.
     */
    listOf(viewer: SignedIn, user: User, paging: Paging): Promise<Page<User>> {
      const seesAll = isSelf(viewer, user.id) || isSiteAdmin(viewer)
      const visibilities = seesAll && !isPublicOnly(viewer) ? ALL_VISIBILITIES : listedVisibilities(viewer)
      return listOrgs(read, { visibilities, memberId: user.id, onlyPublicMembership: !seesAll }, paging)
    },

    rightsOf: (org: User, userId: UserId): Promise<OrgRights> => loadOrgRights(read, org.id, userId),

    create: (actor: Actor, owner: User, input: NewOrg): Promise<User> => createOrg(deps, actor, { owner, input }),
    edit: (actor: Actor, org: User, changes: OrgProfile): Promise<User> => editOrg(deps, actor, { org, changes }),
    rename: async (actor: Actor, org: User, name: string): Promise<void> =>
      void (await renameOwner(deps, actor, org, name)),
    delete: (actor: Actor, org: User): Promise<void> => deleteOrg(deps, actor, org),
  }
}

function listedVisibilities(viewer: Viewer): readonly Visibility[] {
  if (viewer.kind === 'anonymous' || isPublicOnly(viewer)) return ['public']
  if (viewer.account.isAdmin) return ALL_VISIBILITIES
  return viewer.account.isRestricted ? ['public'] : ['public', 'limited']
}
