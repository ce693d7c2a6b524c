import { AccessMode } from '../../../core/access/repo-access.ts'
import type { Actor, Visibility } from '../../../core/access/viewer.ts'
import { retryOnUniqueViolation } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import { type User, findUserById, insertUser } from '../users/user.store.ts'
import { requireFreeName, requireOwnerName } from '../users/accounts/create-user.ts'
import { insertMember, type OwnedRepos, type OwnsPackages } from './org.store.ts'
import { insertTeam, insertTeamMember } from './teams/team.store.ts'
import type { CreateOrgOption, EditOrgOption } from './orgs.model.ts'
import type { Core } from '../../../core/module.ts'

interface OrgRules {
  /** Memberships are public by default. */
  readonly membersArePublic: boolean
  readonly onlyAdminsCreate: boolean
}

export interface OrgDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly rules: OrgRules
  readonly ownedRepos: OwnedRepos
  readonly ownsPackages: OwnsPackages
}

const OWNERS_TEAM = 'Owners'

export interface OrgProfile {
  readonly fullName?: string | undefined
  /** Need be neither unique nor activated. */
  readonly email?: string | undefined
  readonly description?: string | undefined
  readonly website?: string | undefined
  readonly location?: string | undefined
  readonly visibility?: Visibility | undefined
  readonly repoAdminChangeTeamAccess?: boolean | undefined
}

export interface NewOrg extends OrgProfile {
  readonly name: string
}

/**
 * Creates the organization with its Owners team and `owner` as its only member. Throws Forbidden when `owner` may not
 * create organizations, Invalid for a bad or taken name (behaviour/orgs-webhooks-actions#organizations).
 */
export async function createOrg(
  deps: OrgDeps,
  actor: Actor,
  { owner, input }: { owner: User; input: NewOrg },
): Promise<User> {
  if (!mayCreateOrgs(deps, owner)) throw forbidden('user is not allowed to create organizations')
  requireOwnerName(input.name, 'UserName')
  const now = deps.clock.now()
  return retryOnUniqueViolation(deps.database, async (tx) => {
    await requireFreeName(tx, input.name)
    const orgId = await insertUser(tx, {
      kind: 'organization',
      name: input.name,
      lower_name: input.name.toLowerCase(),
      full_name: input.fullName ?? '',
      email: input.email ?? '',
      description: input.description ?? '',
      website: input.website ?? '',
      location: input.location ?? '',
      visibility: input.visibility ?? 'public',
      repo_admin_change_team_access: flag(input.repoAdminChangeTeamAccess ?? false),
      is_active: 1,
      created_at: now,
      updated_at: now,
    })
    const team = {
      org_id: orgId,
      name: OWNERS_TEAM,
      lower_name: OWNERS_TEAM.toLowerCase(),
      mode: AccessMode.owner,
      includes_all_repositories: 1,
      can_create_org_repo: 1,
      created_at: now,
    } as const
    const teamId = await insertTeam(tx, team)
    await insertMember(tx, orgId, owner.id, { isPublic: deps.rules.membersArePublic, joinedAt: now })
    await insertTeamMember(tx, { id: teamId, orgId }, owner.id)
    await deps.events.append(tx, 'org.created', { actor, repoId: 0, at: now }, { org_id: orgId, name: input.name })
    return (await findUserById(tx, orgId))!
  })
}

function mayCreateOrgs({ rules }: OrgDeps, owner: User): boolean {
  if (owner.kind !== 'individual') return false
  return owner.isAdmin || (owner.canCreateOrganization && !rules.onlyAdminsCreate)
}

export function readProfile(body: EditOrgOption): OrgProfile {
  return {
    fullName: body.full_name,
    email: body.email,
    description: body.description,
    website: body.website,
    location: body.location,
    /** COMPAT: clients send an empty text for "the default" or "unchanged" (test/accounts/orgs/orgs.test.ts). */
    visibility: body.visibility || undefined,
    repoAdminChangeTeamAccess: body.repo_admin_change_team_access,
  }
}

export const readNewOrg = (body: CreateOrgOption): NewOrg => ({ name: body.username, ...readProfile(body) })
