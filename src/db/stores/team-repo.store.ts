import type { RepoId } from '../../platform/ids.ts'
import type { Db, Tx } from '../database.ts'
import type { Team } from './team.store.ts'

/** By its flag or by a row. */
export async function teamHoldsRepo(db: Db, team: Team, repo: { readonly id: RepoId; readonly ownerId: number }): Promise<boolean> {
  if (repo.ownerId !== team.orgId) return false
  if (team.includesAllRepositories) return true
  const row = await db.selectFrom('team_repo').select('team_id').where('team_id', '=', team.id).where('repo_id', '=', repo.id).executeTakeFirst()
  return row !== undefined
}

/** Does nothing when the team has it already. */
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

/** What the flag gave becomes rows, so that turning it off takes nothing away. */
export async function insertAllTeamRepos(tx: Tx, team: Team): Promise<void> {
  await tx
    .insertInto('team_repo')
    .columns(['team_id', 'org_id', 'repo_id'])
    .expression((eb) =>
      eb.selectFrom('repo').innerJoin('team', 'team.org_id', 'repo.owner_id').select(['team.id', 'repo.owner_id', 'repo.id as repo_id']).where('team.id', '=', team.id),
    )
    .onConflict((conflict) => conflict.columns(['team_id', 'repo_id']).doNothing())
    .execute()
}
