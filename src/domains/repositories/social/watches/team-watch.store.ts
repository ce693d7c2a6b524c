import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type RepoId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Team } from '../../../accounts/index.ts'
import { addToRepoCounter } from '../../repos/repo.store.ts'

const CHUNK = 500

/** The user watches every repository of the team except those that it watches or ignores already. */
export async function watchReposOfTeam(tx: Tx, team: Team, userId: UserId, at: number): Promise<void> {
  let repos = tx.selectFrom('repo').select('repo.id').where('repo.owner_id', '=', team.orgId)
  if (!team.includesAllRepositories)
    repos = repos.where('repo.id', 'in', tx.selectFrom('team_repo').select('repo_id').where('team_id', '=', team.id))
  const rows = await repos
    .where('repo.id', 'not in', tx.selectFrom('watch').select('repo_id').where('user_id', '=', userId))
    .execute()
  for (let from = 0; from < rows.length; from += CHUNK) {
    const ids = rows.slice(from, from + CHUNK).map((row) => asId<RepoId>(row.id))
    await tx
      .insertInto('watch')
      .values(ids.map((id) => ({ user_id: userId, repo_id: id, mode: 'auto' as const, created_at: at })))
      .execute()
    await addToRepoCounter(tx, ids, 'watchers_count', 1)
  }
}

/**
 * Members of the teams, or of every team that includes all repositories of the organization, watch the repository
 * unless they watch or ignore it already.
 */
export async function watchRepoByTeams(
  tx: Tx,
  repo: { readonly id: RepoId; readonly ownerId: UserId },
  teams: readonly TeamId[] | 'all-repositories',
  at: number,
): Promise<void> {
  let members = tx
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select('team_member.user_id')
    .distinct()
    .where('team.org_id', '=', repo.ownerId)
  members =
    teams === 'all-repositories'
      ? members.where('team.includes_all_repositories', '=', 1)
      : members.where('team.id', 'in', teams)
  const rows = await members
    .where(
      'team_member.user_id',
      'not in',
      tx.selectFrom('watch').select('watch.user_id').where('watch.repo_id', '=', repo.id),
    )
    .execute()
  for (let from = 0; from < rows.length; from += CHUNK) {
    const some = rows.slice(from, from + CHUNK)
    await tx
      .insertInto('watch')
      .values(some.map((row) => ({ user_id: row.user_id, repo_id: repo.id, mode: 'auto' as const, created_at: at })))
      .execute()
  }
  if (rows.length > 0) await addToRepoCounter(tx, repo.id, 'watchers_count', rows.length)
}

interface NewRepoWatch {
  readonly repoId: RepoId
  readonly creatorId: UserId
  /** The organization that owns the repository, if one does. */
  readonly orgId: UserId | undefined
  readonly at: number
}

/**
 * Inserts the watches of the creator and of the members of teams that include all repositories of the organization
 * (behaviour/repositories#access). `watchers_count` of the new row includes the creator already.
 */
export async function watchNewRepo(tx: Tx, { repoId, creatorId, orgId, at }: NewRepoWatch): Promise<void> {
  await tx.insertInto('watch').values({ repo_id: repoId, user_id: creatorId, mode: 'normal', created_at: at }).execute()
  if (orgId !== undefined) await watchRepoByTeams(tx, { id: repoId, ownerId: orgId }, 'all-repositories', at)
}

/** Members of the team who watch the repository. */
export async function listTeamWatchers(db: Db, teamId: TeamId, repoId: RepoId): Promise<UserId[]> {
  const rows = await db
    .selectFrom('watch')
    .select('user_id')
    .where('repo_id', '=', repoId)
    .where(
      'user_id',
      'in',
      db.selectFrom('team_member').select('team_member.user_id').where('team_member.team_id', '=', teamId),
    )
    .execute()
  return rows.map((row) => asId(row.user_id))
}
