import { AccessMode } from '../../../../core/access/repo-access.ts'
import { isOrgMember, isOrgOwner } from '../../../../core/access/repo-grants.store.ts'
import { type Actor, isPublicOnly, isSiteAdmin, type SignedIn, type Viewer } from '../../../../core/access/viewer.ts'
import { retryOnUniqueViolation, type Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { forbidden, invalid, invalidField } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { TeamId, UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type User, findUserById, listUsersByIds, lockUsers } from '../../users/user.store.ts'
import { isOwnerInView } from '../../users/owner-lookup.ts'
import type { OrgDeps } from '../create-org.ts'
import { deleteTeamlessMember } from '../org-members.service.ts'
import type { OrgInView } from '../orgs.service.ts'
import type { TeamVisibility } from '../orgs.table.ts'
import { listTeamMemberIds, listTeams, insertTeamRepos, type TeamFilter } from './teams.store.ts'
import { decideTeamRights, type TeamGrantInput, type TeamRights } from './team-units.policy.ts'
import {
  deleteTeam,
  findTeamById,
  findTeamByName,
  insertTeam,
  isTeamMember,
  lockTeam,
  replaceTeamUnits,
  type Team,
  updateTeam,
} from './team.store.ts'

export interface TeamOf {
  readonly org: User
  readonly team: Team
}

export interface TeamInView extends TeamOf {
  /** Otherwise the viewer sees the team because it is public. */
  readonly isOrgMember: boolean
  readonly isTeamMember: boolean
  readonly isOwner: boolean
}

export interface TeamChanges extends TeamGrantInput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly includesAllRepositories?: boolean | undefined
  readonly canCreateOrgRepo?: boolean | undefined
  /** Ignored for the team of the owners. */
  readonly visibility?: TeamVisibility | undefined
}

export interface NewTeam extends TeamChanges {
  readonly name: string
}

export type Teams = ReturnType<typeof createTeams>

/** Groups of members with their rights on repositories (behaviour/orgs-webhooks-actions#teams). */
export function createTeams(deps: OrgDeps) {
  const { read } = deps.database
  return {
    /**
     * The team with the viewer's roles. Throws NotFound for unknown and hidden teams, and for users outside of the
     * organization unless the team is public.
     */
    async getInView(viewer: Viewer, id: TeamId): Promise<TeamInView> {
      const team = await findTeamById(read, id)
      const org = team && (await findUserById(read, team.orgId))
      if (!team || !org) throw errors.teamNotFound()
      // COMPAT: anonymous clients get 401 for existing teams, and no other information
      // (test/accounts/orgs/teams.test.ts).
      if (viewer.kind === 'anonymous') return { org, team, isOrgMember: false, isTeamMember: false, isOwner: false }
      const userId = viewer.account.id
      const inOrg = await isOrgMember(read, org.id, userId)
      const isSeen =
        inOrg || isSiteAdmin(viewer) || (team.visibility === 'public' && (await isOwnerInView(read, viewer, org)))
      if (!isSeen) throw errors.teamNotFound()
      return {
        org,
        team,
        isOrgMember: inOrg,
        isTeamMember: await isTeamMember(read, id, userId),
        isOwner: inOrg && (await isOrgOwner(read, org.id, userId)),
      }
    },
    /**
     * A-Z. Owners and site administrators see all teams, other members their own and those that are not private.
     */
    list: (
      viewer: SignedIn,
      { org, isOwner }: OrgInView,
      paging: Paging,
      keyword?: TeamFilter['keyword'],
    ): Promise<Page<Team>> =>
      listTeams(
        read,
        {
          orgId: org.id,
          seenBy: isOwner || isSiteAdmin(viewer) ? undefined : viewer.account.id,
          ...(keyword && { keyword }),
        },
        paging,
      ),
    /** The teams of the viewer. */
    async listOf(viewer: SignedIn, paging: Paging): Promise<Page<TeamOf>> {
      const page = await listTeams(read, { memberId: viewer.account.id, onlyPublicOrgs: isPublicOnly(viewer) }, paging)
      const orgs = new Map(
        (await listUsersByIds(read, [...new Set(page.items.map((team) => team.orgId))])).map((org) => [org.id, org]),
      )
      return { items: page.items.map((team) => ({ team, org: orgs.get(team.orgId)! })), total: page.total }
    },
    /** Throws Invalid for a duplicate name and when no unit is given. */
    create: (actor: Actor, org: User, input: NewTeam): Promise<Team> => createTeam(deps, actor, { org, input }),
    /** Absent members are unchanged. Throws Forbidden when renaming Owners, Invalid as `create`. */
    edit: (actor: Actor, found: TeamOf, changes: TeamChanges): Promise<Team> =>
      editTeam(deps, actor, { found, changes }),
    /** Its members stay in the organization. Throws Forbidden for Owners. */
    async delete(actor: Actor, { org, team }: TeamOf): Promise<void> {
      if (team.mode === AccessMode.owner) throw forbidden('the team of the owners cannot be deleted')
      await deps.database.transaction(async (tx) => {
        const memberIds = await listTeamMemberIds(tx, team.id)
        await lockUsers(tx, memberIds)
        await requireLocked(deps, tx, team.id)
        const members = await listUsersByIds(tx, memberIds)
        await deleteTeam(tx, team.id)
        const remaining: number[] = []
        for (const user of members)
          if (await deleteTeamlessMember(deps, tx, { actor, org, user })) remaining.push(user.id)
        await deps.events.append(
          tx,
          'team.deleted',
          { actor, repoId: 0, at: deps.clock.now() },
          { org_id: org.id, team_id: team.id, name: team.name, member_ids: remaining },
        )
      })
    },
  }
}

async function createTeam(deps: OrgDeps, actor: Actor, { org, input }: { org: User; input: NewTeam }): Promise<Team> {
  const { mode, units } = requireRights(input)
  return retryOnUniqueViolation(deps.database, async (tx) => {
    await requireFreeTeamName(tx, org.id, input.name)
    const id = await insertTeam(tx, {
      org_id: org.id,
      name: input.name,
      lower_name: input.name.toLowerCase(),
      description: input.description ?? '',
      mode,
      includes_all_repositories: flag(input.includesAllRepositories ?? false),
      can_create_org_repo: flag(input.canCreateOrgRepo ?? false),
      visibility: input.visibility ?? 'private',
      created_at: deps.clock.now(),
    })
    await replaceTeamUnits(tx, id, units)
    await appendTeamEvent(deps, tx, 'team.created', { actor, orgId: org.id, id, name: input.name })
    return (await findTeamById(tx, id))!
  })
}

async function editTeam(
  deps: OrgDeps,
  actor: Actor,
  { found, changes }: { found: TeamOf; changes: TeamChanges },
): Promise<Team> {
  const { org } = found
  return retryOnUniqueViolation(deps.database, async (tx) => {
    const team = await requireLocked(deps, tx, found.team.id)
    const { isOwners, name, rights, visibility } = decideEdit(team, changes)
    const includesAll = isOwners ? undefined : changes.includesAllRepositories
    await requireFreeTeamName(tx, org.id, name, team.id)
    if (includesAll === false && team.includesAllRepositories)
      await insertTeamRepos(tx, team, deps.ownedRepos.get()(tx, team.orgId))
    await updateTeam(tx, team.id, {
      name,
      lower_name: name.toLowerCase(),
      description: changes.description ?? team.description,
      mode: rights?.mode ?? team.mode,
      includes_all_repositories: flag(includesAll ?? team.includesAllRepositories),
      can_create_org_repo: flag(isOwners || (changes.canCreateOrgRepo ?? team.canCreateOrgRepo)),
      visibility: visibility ?? team.visibility,
    })
    if (rights !== undefined) await replaceTeamUnits(tx, team.id, rights.units)
    const after = (await findTeamById(tx, team.id))!
    const changesRights =
      rights !== undefined ||
      after.includesAllRepositories !== team.includesAllRepositories ||
      after.canCreateOrgRepo !== team.canCreateOrgRepo
    await deps.events.append(
      tx,
      'team.edited',
      { actor, repoId: 0, at: deps.clock.now() },
      {
        org_id: org.id,
        team_id: team.id,
        name,
        ...(changesRights && { rights: { mode: after.mode, all_repositories: after.includesAllRepositories } }),
      },
    )
    return after
  })
}

/** Throws NotFound when a concurrent request deleted the team. */
async function requireLocked({ database }: OrgDeps, tx: Tx, id: TeamId): Promise<Team> {
  const team = await lockTeam(tx, database.dialect, id)
  if (team === undefined) throw errors.teamNotFound()
  return team
}

interface Edit {
  readonly isOwners: boolean
  readonly name: string
  /** Undefined when the rights do not change. */
  readonly rights: TeamRights | undefined
  /** Undefined when it does not change. */
  readonly visibility: TeamVisibility | undefined
}

function decideEdit(team: Team, changes: TeamChanges): Edit {
  const isOwners = team.mode === AccessMode.owner
  const name = changes.name || team.name
  if (isOwners && name.toLowerCase() !== team.name.toLowerCase())
    throw forbidden('the team of the owners cannot be renamed')
  const grantsChange =
    !isOwners && Boolean(changes.permission || changes.units?.length || Object.keys(changes.unitsMap ?? {}).length)
  return {
    isOwners,
    name,
    rights: grantsChange ? requireRights(changes, team) : undefined,
    visibility: isOwners ? undefined : changes.visibility,
  }
}

function requireRights(input: TeamGrantInput, present?: TeamRights): TeamRights {
  const rights = decideTeamRights(input, present)
  if (rights === 'empty') throw invalid('units permission should not be empty')
  if (rights === 'bad-level') throw invalidField('UnitsMap', 'In')
  return rights
}

async function requireFreeTeamName(tx: Tx, orgId: UserId, name: string, except?: TeamId): Promise<void> {
  if (name.toLowerCase() === 'new') throw errors.nameReserved(name)
  const existing = await findTeamByName(tx, orgId, name)
  if (existing !== undefined && existing.id !== except) throw errors.teamExists(orgId, name)
}

interface TeamChange {
  readonly actor: Actor
  readonly orgId: UserId
  readonly id: TeamId
  readonly name: string
}

async function appendTeamEvent(
  { clock, events }: OrgDeps,
  tx: Tx,
  kind: 'team.created',
  { actor, orgId, id, name }: TeamChange,
): Promise<void> {
  await events.append(tx, kind, { actor, repoId: 0, at: clock.now() }, { org_id: orgId, team_id: id, name })
}
