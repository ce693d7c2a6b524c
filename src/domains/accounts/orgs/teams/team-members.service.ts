import { AccessMode } from '../../../../core/access/repo-access.ts'
import type { Actor, SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import { invalid, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { getKnownOwner } from '../../users/owner-lookup.ts'
import { type User, lockUsers } from '../../users/user.store.ts'
import { requireUnblocked } from '../../users/blocks/require-unblocked.ts'
import type { OrgDeps } from '../create-org.ts'
import { deleteTeamlessMember } from '../org-members.service.ts'
import { findMembership, insertMember } from '../org.store.ts'
import { listTeamMembers } from './teams.store.ts'
import { deleteTeamMember, insertTeamMember, isLastOwner, isTeamMember } from './team.store.ts'
import type { TeamOf } from './teams.service.ts'

export type TeamMembers = ReturnType<typeof createTeamMembers>

/**
 * Members of teams; membership in a team implies membership in its organization
 * (behaviour/orgs-webhooks-actions#teams).
 */
export function createTeamMembers(deps: OrgDeps) {
  const { database } = deps
  /** Viewers who may see the teams also find members whose account is hidden from them. */
  const getUser = (viewer: Viewer, { org }: TeamOf, name: string): Promise<User> =>
    getKnownOwner(
      database.read,
      viewer,
      name,
      async (user) => (await findMembership(database.read, org.id, user.id)) !== undefined,
    )
  return {
    list: ({ team }: TeamOf, paging: Paging): Promise<Page<User>> => listTeamMembers(database.read, team.id, paging),

    /** Throws NotFound for a user who is not in the team. */
    async get(viewer: Viewer, found: TeamOf, name: string): Promise<User> {
      const user = await getUser(viewer, found, name)
      if (!(await isTeamMember(database.read, found.team.id, user.id))) throw notFound('user is not in the team')
      return user
    },

    /**
     * Adds the user to the organization, too; does nothing for a member of the team. Throws NotFound, Invalid for
     * organizations, Forbidden for users whom the organization blocks.
     */
    async add(actor: SignedIn, found: TeamOf, name: string): Promise<void> {
      const user = await getUser(actor, found, name)
      if (user.kind === 'organization') throw invalid('an organization cannot be in a team')
      await addToTeam(deps, actor, { found, user })
    },

    /**
     * Deletes the membership in the organization, too, when this was the user's last team. Throws NotFound, Invalid for
     * the last owner.
     */
    async delete(actor: SignedIn, found: TeamOf, name: string): Promise<void> {
      const user = await getUser(actor, found, name)
      await deleteFromTeam(deps, actor, { found, user })
    },

    /** Like `add`, for a caller who found the user. */
    addUser: (actor: Actor, found: TeamOf, user: User): Promise<void> => addToTeam(deps, actor, { found, user }),
    /** Like `delete`, for a caller who found the user. */
    deleteUser: (actor: Actor, found: TeamOf, user: User): Promise<void> =>
      deleteFromTeam(deps, actor, { found, user }),
  }
}

async function addToTeam(
  { database, clock, events, rules }: OrgDeps,
  actor: Actor,
  { found: { org, team }, user }: { found: TeamOf; user: User },
): Promise<void> {
  const at = clock.now()
  await database.transaction(async (tx) => {
    await lockUsers(tx, [user.id])
    if (await isTeamMember(tx, team.id, user.id)) return
    await requireUnblocked(tx, user.id, [org.id])
    if ((await findMembership(tx, org.id, user.id)) === undefined) {
      await insertMember(tx, org.id, user.id, { isPublic: rules.membersArePublic, joinedAt: at })
      await events.append(tx, 'org.member_added', { actor, repoId: 0, at }, { org_id: org.id, user_id: user.id })
    }
    await insertTeamMember(tx, team, user.id)
    await events.append(
      tx,
      'team.member_added',
      { actor, repoId: 0, at },
      { org_id: org.id, team_id: team.id, user_id: user.id },
    )
  })
}

async function deleteFromTeam(
  deps: OrgDeps,
  actor: Actor,
  { found: { org, team }, user }: { found: TeamOf; user: User },
): Promise<void> {
  const { database, clock, events } = deps
  await database.transaction(async (tx) => {
    await lockUsers(tx, [user.id])
    if (!(await isTeamMember(tx, team.id, user.id))) return
    if (team.mode === AccessMode.owner && (await isLastOwner(tx, database.dialect, org.id, user.id)))
      throw errors.lastOwner()
    await deleteTeamMember(tx, team.id, user.id)
    await events.append(
      tx,
      'team.member_removed',
      { actor, repoId: 0, at: clock.now() },
      { org_id: org.id, team_id: team.id, user_id: user.id },
    )
    await deleteTeamlessMember(deps, tx, { actor, org, user })
  })
}
