import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { defineQuery } from '../db/prepared-statement.ts'
import { cachedUntilCommit } from '../db/read-cache.ts'
import type { RepoId, UserId } from '../platform/crypto/ids.ts'
import { AccessMode, asAccessMode, NO_GRANTS, type RepoGrants, type TeamGrant, type Unit } from './repo-access.ts'

interface GrantTarget {
  readonly id: RepoId
  readonly owner: { readonly id: UserId; readonly kind: string }
}

/**
 * What grants one user to each of the repositories: collaborations, memberships and teams, in at most two queries.
 */
export async function loadRepoGrants(
  db: Db,
  userId: UserId,
  repos: readonly GrantTarget[],
): Promise<ReadonlyMap<RepoId, RepoGrants>> {
  if (repos.length === 0) return new Map()
  const targets = repos.map(({ id, owner }) => (owner.kind === 'organization' ? `${id} of ${owner.id}` : id))
  return cachedUntilCommit(db, `grants ${userId} ${targets.join()}`, () => readRepoGrants(db, userId, repos))
}

async function readRepoGrants(
  db: Db,
  userId: UserId,
  repos: readonly GrantTarget[],
): Promise<ReadonlyMap<RepoId, RepoGrants>> {
  const grants = new Map<RepoId, RepoGrants>()
  const repoIds = repos.map((repo) => repo.id)
  const orgIds = [...new Set(repos.filter((repo) => repo.owner.kind === 'organization').map((repo) => repo.owner.id))]
  const rows = await directGrantsOf(db, { userId, repoIds, orgIds: orgIds.length === 0 ? undefined : orgIds })
  const modes = new Map(rows.map((row) => [row.repo_id, asAccessMode(row.mode)]))
  const memberships = new Set(rows.map((row) => row.org_id).filter((id) => id !== 0))
  const teams = memberships.size === 0 ? [] : await loadTeams(db, userId, [...memberships], repoIds)
  for (const repo of repos) {
    const own = teams.filter(
      (team) => team.org_id === repo.owner.id && (team.includes_all_repositories === 1 || team.repos.has(repo.id)),
    )
    const collaboration = modes.get(repo.id) ?? AccessMode.none
    const isOrgMember = memberships.has(repo.owner.id)
    grants.set(
      repo.id,
      own.length === 0 && !isOrgMember && collaboration === AccessMode.none
        ? NO_GRANTS
        : { collaboration, isOrgMember, teams: own.map((team) => team.grant) },
    )
  }
  return grants
}

interface GrantsQuery {
  readonly userId: UserId
  readonly repoIds: readonly RepoId[]
  readonly orgIds: readonly UserId[] | undefined
}

/** Collaborations, whose `org_id` is 0, and memberships, whose `repo_id` is 0. */
const directGrantsOf = defineQuery((db, { userId, repoIds, orgIds }: GrantsQuery) => {
  const collaborations = db
    .selectFrom('collaboration')
    .select(['repo_id', sql.lit<number>(0).as('org_id'), 'mode'])
    .where('user_id', '=', userId)
    .where('repo_id', 'in', repoIds)
  if (orgIds === undefined) return collaborations
  return collaborations.unionAll(
    db
      .selectFrom('org_member')
      .select([sql.lit<number>(0).as('repo_id'), 'org_id', sql.lit<number>(0).as('mode')])
      .where('user_id', '=', userId)
      .where('org_id', 'in', orgIds),
  )
})

interface LoadedTeam {
  readonly org_id: number
  readonly includes_all_repositories: number
  readonly repos: Set<number>
  readonly grant: TeamGrant
}

async function loadTeams(
  db: Db,
  userId: UserId,
  orgIds: readonly number[],
  repoIds: readonly number[],
): Promise<LoadedTeam[]> {
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .leftJoin('team_unit', 'team_unit.team_id', 'team.id')
    .leftJoin('team_repo', (join) =>
      join.onRef('team_repo.team_id', '=', 'team.id').on('team_repo.repo_id', 'in', repoIds),
    )
    .select([
      'team.id',
      'team.org_id',
      'team.mode',
      'team.includes_all_repositories',
      'team_unit.unit',
      'team_unit.mode as unit_mode',
      'team_repo.repo_id',
    ])
    .where('team_member.user_id', '=', userId)
    .where('team_member.org_id', 'in', orgIds)
    .execute()
  const teams = new Map<number, LoadedTeam & { readonly units: Map<Unit, AccessMode> }>()
  for (const row of rows) {
    const units = teams.get(row.id)?.units ?? new Map<Unit, AccessMode>()
    const team = teams.get(row.id) ?? {
      ...row,
      repos: new Set<number>(),
      units,
      grant: { mode: asAccessMode(row.mode), units },
    }
    teams.set(row.id, team)
    if (row.unit !== null && row.unit_mode !== null) units.set(row.unit as Unit, asAccessMode(row.unit_mode))
    if (row.repo_id !== null) team.repos.add(row.repo_id)
  }
  return [...teams.values()]
}

export async function isOrgMember(db: Db, orgId: UserId, userId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('org_member')
    .select('org_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

/** Membership of the Owners team, whose mode is owner. */
export async function isOrgOwner(db: Db, orgId: UserId, userId: UserId): Promise<boolean> {
  const row = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select('team.id')
    .where('team_member.org_id', '=', orgId)
    .where('team_member.user_id', '=', userId)
    .where('team.mode', '=', AccessMode.owner)
    .executeTakeFirst()
  return row !== undefined
}
