import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { IMPORTER_ID, type RepoFacts, hasUnit, type Unit } from './repo-access.ts'

const NEVER = sql<SqlBool>`1 = 0`
const IS_UNRESTRICTED = sql<SqlBool>`"user".is_restricted = 0`

/**
 * The users who may read a unit of one repository, for queries over `user`: the SQL twin of `decideRepoAccess` in
 * repo-access.ts, proven equal by the same test as visible-repos.ts.
 */
export const readersOf = (repo: RepoFacts, unit: Unit): RawBuilder<SqlBool> =>
  hasUnit(repo.units, unit) ? readersOfUnit(repo, unit) : NEVER

/** The facts that decide who reads a unit of a repository. The SQL text depends on all of them but the ids. */
export interface ReadableRepo extends Pick<RepoFacts, 'id' | 'isPrivate'> {
  readonly owner: Pick<RepoFacts['owner'], 'id' | 'kind' | 'visibility'>
}

/** Like readersOf, for a repository that is known to have the unit. */
export function readersOfUnit(repo: ReadableRepo, unit: Unit): RawBuilder<SqlBool> {
  if (repo.owner.id === IMPORTER_ID) return NEVER
  const conditions = [
    sql<SqlBool>`"user".is_admin = 1`,
    sql<SqlBool>`"user".id = ${repo.owner.id}`,
    ...(repo.isPrivate ? [] : [readersOfPublic(repo)]),
    sql<SqlBool>`exists (select 1 from collaboration where collaboration.repo_id = ${repo.id}
      and collaboration.user_id = "user".id and collaboration.mode > 0)`,
    ...(repo.owner.kind === 'organization' ? [inGrantingTeam(repo, unit)] : []),
  ]
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`
}

/** Readers of a repository that is not private, by the visibility of its owner. */
function readersOfPublic({ owner }: ReadableRepo): RawBuilder<SqlBool> {
  if (owner.visibility === 'public') return sql<SqlBool>`1 = 1`
  if (owner.visibility === 'limited') return IS_UNRESTRICTED
  if (owner.kind !== 'organization') return NEVER
  return sql<SqlBool>`(${IS_UNRESTRICTED} and exists (select 1 from org_member
    where org_member.org_id = ${owner.id} and org_member.user_id = "user".id))`
}

const inGrantingTeam = ({ id, owner }: ReadableRepo, unit: Unit): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from team_member inner join team on team.id = team_member.team_id
    where team_member.org_id = ${owner.id} and team_member.user_id = "user".id
    and (team.includes_all_repositories = 1 or exists (select 1 from team_repo where team_repo.team_id = team.id and team_repo.repo_id = ${id}))
    and (team.mode >= 3 or exists (select 1 from team_unit where team_unit.team_id = team.id and team_unit.unit = ${unit} and team_unit.mode > 0)))`
