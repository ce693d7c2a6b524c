import { sql } from 'kysely'
import { AccessMode } from '../../../../core/access/access-mode.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { RepoId, TeamId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Team, withUnits } from './team.store.ts'

/** Whether the team has the repository: by `includesAllRepositories` or by a row. */
export async function hasTeamRepo(
  db: Db,
  team: Team,
  repo: { readonly id: RepoId; readonly ownerId: number },
): Promise<boolean> {
  if (repo.ownerId !== team.orgId) return false
  if (team.includesAllRepositories) return true
  const row = await db
    .selectFrom('team_repo')
    .select('team_id')
    .where('team_id', '=', team.id)
    .where('repo_id', '=', repo.id)
    .executeTakeFirst()
  return row !== undefined
}

/** Does nothing when the row exists. */
export async function insertTeamRepo(tx: Tx, team: Team, repoId: RepoId): Promise<void> {
  await tx
    .insertInto('team_repo')
    .values({ team_id: team.id, org_id: team.orgId, repo_id: repoId })
    .onConflict((conflict) => conflict.columns(['team_id', 'repo_id']).doNothing())
    .execute()
}

export async function deleteTeamRepo(tx: Tx, team: Team, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('team_repo').where('team_id', '=', team.id).where('repo_id', '=', repoId).execute()
}

/** Inserts a row for every repository of the organization, before `includes_all_repositories` is turned off. */
export async function insertAllTeamRepos(tx: Tx, team: Team): Promise<void> {
  await tx
    .insertInto('team_repo')
    .columns(['team_id', 'org_id', 'repo_id'])
    .expression((eb) =>
      eb
        .selectFrom('repo')
        .innerJoin('team', 'team.org_id', 'repo.owner_id')
        .select(['team.id', 'repo.owner_id', 'repo.id as repo_id'])
        .where('team.id', '=', team.id),
    )
    .onConflict((conflict) => conflict.columns(['team_id', 'repo_id']).doNothing())
    .execute()
}

/** Every team of the organization that has the repository: the owners first, then A-Z. */
export async function listTeamsOfRepo(
  db: Db,
  repo: { readonly id: RepoId; readonly ownerId: UserId },
): Promise<Team[]> {
  const named = db.selectFrom('team_repo').select('team_id').where('repo_id', '=', repo.id)
  const rows = await db
    .selectFrom('team')
    .selectAll()
    .where('org_id', '=', repo.ownerId)
    .where((eb) => eb.or([eb('includes_all_repositories', '=', 1), eb('id', 'in', named)]))
    .orderBy(sql`case when mode = ${AccessMode.owner} then 0 else 1 end`)
    .orderBy('lower_name')
    .execute()
  return withUnits(db, rows)
}

/** Teams of any organization, in order of id; ids without a row are omitted. */
export async function listTeamsByIds(db: Db, ids: readonly TeamId[]): Promise<Team[]> {
  if (ids.length === 0) return []
  return withUnits(db, await db.selectFrom('team').selectAll().where('id', 'in', ids).orderBy('id').execute())
}

/** Deletes the repository from the teams of an organization. */
export async function deleteTeamReposOf(tx: Tx, orgId: UserId, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('team_repo').where('org_id', '=', orgId).where('repo_id', '=', repoId).execute()
}
