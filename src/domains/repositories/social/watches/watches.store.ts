import type { Db, Tx } from '../../../../core/db/database.ts'
import { asId, type RepoId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Team, type User, userRows } from '../../../accounts/index.ts'
import { addToRepoCounter, type Repo, listReposAmong, reposInOrder } from '../../repos/repo.store.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { visibleRepos } from '../../../../core/access/visible-repos.ts'
import { cachedPage } from '../../../../core/db/page.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { WatchTable } from '../social.table.ts'

const CHUNK = 500

/** Watches every repository of the team for the user, except those that the user watches or ignores already. */
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
 * Watches the repository for members of the teams, or of every team that includes all repositories of the organization,
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
  /** The id of the organization that owns the repository; undefined if a user owns it. */
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

/** Members of the team that watch the repository. */
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

/** The repositories of an owner that a user watches, including those that it may not see. */
export const listWatchedOf = (db: Db, userId: UserId, ownerId: UserId): Promise<Repo[]> =>
  listReposAmong(db, ownerId, db.selectFrom('watch').select('repo_id').where('user_id', '=', userId))

export async function deleteWatches(tx: Tx, userId: UserId, repoIds: readonly RepoId[]): Promise<void> {
  if (repoIds.length === 0) return
  const counted = await tx
    .selectFrom('watch')
    .select('repo_id')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', repoIds)
    .where('mode', '!=', 'ignored')
    .execute()
  const ids = counted.map((row) => asId<RepoId>(row.repo_id))
  if (ids.length > 0) await addToRepoCounter(tx, ids, 'watchers_count', -1)
  await tx.deleteFrom('watch').where('user_id', '=', userId).where('repo_id', 'in', repoIds).execute()
}

export type WatchMode = WatchTable['mode']

export async function findWatchMode(db: Db, userId: UserId, repoId: RepoId): Promise<WatchMode | undefined> {
  const row = await db
    .selectFrom('watch')
    .select('mode')
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return row?.mode
}

/**
 * Sets the mode and updates the repository's counter of watchers. NOTE: the statement that locks the row returns the
 * previous mode: another transaction could change it between a read and a write.
 */
export async function putWatch(
  tx: Tx,
  userId: UserId,
  repoId: RepoId,
  { mode, at }: { mode: WatchMode; at: number },
): Promise<void> {
  if ((await findWatchMode(tx, userId, repoId)) === mode) return
  const before = await lockWatch(tx, { userId, repoId, at })
  if (before === mode) return
  await tx.updateTable('watch').set({ mode }).where('user_id', '=', userId).where('repo_id', '=', repoId).execute()
  await addWatchers(tx, repoId, watches(mode) - watches(before))
}

/** Inserts the row, which does not count as a watch yet, or locks the existing one; returns its mode. */
async function lockWatch(
  tx: Tx,
  { userId, repoId, at }: { userId: UserId; repoId: RepoId; at: number },
): Promise<WatchMode> {
  const inserted = await tx
    .insertInto('watch')
    .values({ user_id: userId, repo_id: repoId, mode: 'ignored', created_at: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'repo_id']).doNothing())
    .returning('mode')
    .executeTakeFirst()
  if (inserted !== undefined) return inserted.mode
  const locked = await tx
    .updateTable('watch')
    .set({ user_id: userId })
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .returning('mode')
    .executeTakeFirst()
  return locked?.mode ?? lockWatch(tx, { userId, repoId, at })
}

/** False if the user did not watch it. */
export async function deleteWatch(tx: Tx, userId: UserId, repoId: RepoId): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('watch')
    .where('user_id', '=', userId)
    .where('repo_id', '=', repoId)
    .returning('mode')
    .executeTakeFirst()
  if (deleted === undefined) return false
  await addWatchers(tx, repoId, -watches(deleted.mode))
  return watches(deleted.mode) === 1
}

const watches = (mode: WatchMode | undefined): number => (mode === undefined || mode === 'ignored' ? 0 : 1)

async function addWatchers(tx: Tx, repoId: RepoId, change: number): Promise<void> {
  if (change !== 0) await addToRepoCounter(tx, repoId, 'watchers_count', change)
}

/** Users who watch the repository, in the order of their watches. */
export function listWatchers(db: Db, repoId: RepoId, paging: Paging): Promise<Page<User>> {
  const watchers = db.selectFrom('watch').where('watch.repo_id', '=', repoId).where('watch.mode', '!=', 'ignored')
  return cachedPage(db, watchers.select('watch.user_id').orderBy('watch.created_at').orderBy('watch.user_id'), {
    paging,
    load: (rows) =>
      userRows.inOrder(
        db,
        rows.map((row) => asId(row.user_id)),
      ),
  })
}

/**
 * Repositories that the user watches and the viewer may see, by id. `publicOnly` omits private ones even if they are
 * visible.
 */
export function listWatchedRepos(
  db: Db,
  userId: UserId,
  viewer: Viewer,
  { publicOnly, paging }: { publicOnly: boolean; paging: Paging },
): Promise<Page<Repo>> {
  let query = db
    .selectFrom('watch')
    .crossJoin('repo') // NOTE: makes SQLite read the watches first, not all public repositories.
    .whereRef('repo.id', '=', 'watch.repo_id')
    .where('watch.user_id', '=', userId)
    .where('watch.mode', '!=', 'ignored')
    .where((eb) => visibleRepos(viewer)(eb))
  if (publicOnly) query = query.where('repo.is_private', '=', 0)
  const ids = query.select('watch.repo_id').orderBy('watch.repo_id')
  return cachedPage(db, ids, {
    paging,
    load: (rows) =>
      reposInOrder(
        db,
        rows.map((row) => asId(row.repo_id)),
      ),
  })
}
