import { type Insertable, type RawBuilder, type Selectable, type Updateable, sql } from 'kysely'
import { type Db, type Tx, dialectOf } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { QuotaUsage } from '../../../accounts/index.ts'
import type { MirrorTable } from '../repo.table.ts'
import { IMPORTER_ID, type UnitSet } from '../../../../core/access/repo-access.ts'

/** A pull mirror; durations are milliseconds, times epoch milliseconds. */
export interface Mirror {
  readonly repoId: RepoId
  readonly interval: number
  readonly isPruning: boolean
  readonly syncedAt: number
  /** The URL without credentials. */
  readonly remoteUrl: string
  /** Encrypted; empty for none. */
  readonly credentials: string
  readonly remoteHead: string
  /** Whether the wiki is mirrored too. */
  readonly hasWiki: boolean
  readonly hasLfs: boolean
  /** Encrypted; empty for the default of the remote. */
  readonly lfsEndpoint: string
  readonly isLfsPending: boolean
  readonly lastError: string
}

const toMirror = (row: Selectable<MirrorTable>): Mirror => ({
  repoId: asId(row.repo_id),
  interval: row.interval,
  isPruning: row.is_pruning === 1,
  syncedAt: row.synced_at,
  remoteUrl: row.remote_url,
  credentials: row.credentials,
  remoteHead: row.remote_head,
  hasWiki: row.has_wiki === 1,
  hasLfs: row.has_lfs === 1,
  lfsEndpoint: row.lfs_endpoint,
  isLfsPending: row.lfs_pending === 1,
  lastError: row.last_error,
})

export async function listMirrors(db: Db, repoIds: readonly RepoId[]): Promise<Mirror[]> {
  if (repoIds.length === 0) return []
  return (await db.selectFrom('mirror').selectAll().where('repo_id', 'in', repoIds).execute()).map(toMirror)
}

export async function findMirror(db: Db, repoId: RepoId): Promise<Mirror | undefined> {
  return (await listMirrors(db, [repoId]))[0]
}

export async function insertMirror(tx: Tx, values: Insertable<MirrorTable>): Promise<void> {
  await tx.insertInto('mirror').values(values).execute()
}

export async function deleteMirror(tx: Tx, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('mirror').where('repo_id', '=', repoId).execute()
}

export async function updateMirror(tx: Tx, repoId: RepoId, values: Updateable<MirrorTable>): Promise<void> {
  await tx.updateTable('mirror').set(values).where('repo_id', '=', repoId).execute()
}

interface MirrorSync {
  readonly at: number
  /** The branch of the remote's HEAD; absent if the refs were not updated. */
  readonly remoteHead?: string | undefined
  /** Empty if the sync succeeded. */
  readonly error: string
}

/** Records the end of a sync and sets the time of the next one. */
export async function recordMirrorSync(tx: Tx, repoId: RepoId, { at, remoteHead, error }: MirrorSync): Promise<void> {
  const mirror = await findMirror(tx, repoId)
  if (mirror === undefined) return
  await updateMirror(tx, repoId, {
    last_error: error,
    ...(remoteHead !== undefined && { remote_head: remoteHead, synced_at: at }),
    next_sync_at: mirror.interval === 0 ? 0 : at + mirror.interval,
  })
}

/** Records whether LFS objects of the mirror are missing. */
export const setMirrorLfsPending = (tx: Tx, repoId: RepoId, isPending: boolean): Promise<void> =>
  updateMirror(tx, repoId, { lfs_pending: flag(isPending) })

/**
 * Derived counters of repositories, each with the query that counts it for the row aliased `counted`. Later domains
 * have the queries of what they count.
 */
export const repoCounters = {
  stars_count: sql`select count(*) from star where repo_id = counted.id`,
  watchers_count: sql`select count(*) from watch where repo_id = counted.id and mode <> 'ignored'`,
  forks_count: sql`select count(*) from repo as fork where fork.fork_id = counted.id`,
  branches_count: sql`select count(*) from branch where repo_id = counted.id`,
}

interface RepoCounter {
  readonly column: string
  /** Counts for the row aliased `counted`. */
  readonly count: RawBuilder<unknown>
}

/** Recounts a column of these repositories. */
export async function recountRepos(tx: Tx, { column, count }: RepoCounter, ids: readonly number[]): Promise<void> {
  // NOTE: the lock waits for transactions that change these rows, so that the next statement reads their changes.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('repo').select('id').where('id', 'in', ids))
    .execute()
  await sql`update repo as counted set ${sql.ref(column)} = (${count}) where id in (${sql.join(ids)})`.execute(tx)
}

export async function countRepos(db: Db): Promise<number> {
  return (
    await db
      .selectFrom('repo')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('owner_id', '<>', IMPORTER_ID)
      .executeTakeFirstOrThrow()
  ).count
}

/** Totals of all repositories; sizes are bytes. */
interface RepoNumbers {
  readonly total: number
  readonly isPrivate: number
  readonly forks: number
  readonly mirrors: number
  readonly archived: number
  readonly gitSize: number
  readonly lfsSize: number
}

export async function loadRepoNumbers(db: Db): Promise<RepoNumbers> {
  const sum = (column: string) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`
  return db
    .selectFrom('repo')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .select([sum('is_private').as('isPrivate'), sum('is_fork').as('forks'), sum('is_mirror').as('mirrors')])
    .select([sum('is_archived').as('archived'), sum('git_size').as('gitSize'), sum('lfs_size').as('lfsSize')])
    .where('owner_id', '<>', IMPORTER_ID)
    .executeTakeFirstOrThrow()
}

/** Bytes of the repositories of an owner. */
export async function loadRepoUsage(
  db: Db,
  ownerId: UserId,
): Promise<Pick<QuotaUsage, 'lfs' | 'reposPrivate' | 'reposPublic'>> {
  const sum = (column: 'git_size' | 'lfs_size') => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`
  const rows = await db
    .selectFrom('repo')
    .select(['is_private', sum('git_size').as('git'), sum('lfs_size').as('lfs')])
    .where('owner_id', '=', ownerId)
    .groupBy('is_private')
    .execute()
  const git = (isPrivate: number): number => rows.find((row) => row.is_private === isPrivate)?.git ?? 0
  return { reposPublic: git(0), reposPrivate: git(1), lfs: rows.reduce((total, row) => total + row.lfs, 0) }
}

/** The owner of a repository; undefined when the repository was deleted. */
export async function findRepoOwner(
  db: Db,
  repoId: RepoId,
): Promise<{ readonly id: UserId; readonly name: string } | undefined> {
  const row = await db
    .selectFrom('repo')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select(['user.id', 'user.name'])
    .where('repo.id', '=', repoId)
    .executeTakeFirst()
  return row && { id: asId(row.id), name: row.name }
}

const CHUNK = 500

/**
 * Yields the id of every repository, oldest first, including those created during the walk; reads in chunks. Excludes
 * those that an import is writing: their rows and refs do not agree yet.
 */
export async function* walkRepoIds(db: Db): AsyncGenerator<RepoId> {
  for (let last = 0; ;) {
    const rows = await db
      .selectFrom('repo')
      .select('id')
      .where('id', '>', last)
      .where('owner_id', '<>', IMPORTER_ID)
      .orderBy('id')
      .limit(CHUNK)
      .execute()
    for (const { id } of rows) yield asId(id)
    if (rows.length < CHUNK) return
    last = rows.at(-1)!.id
  }
}

/** Repositories with a branch or tag deleted by a push between two times, epoch milliseconds. */
export async function listReposWithDeletedRefs(db: Db, from: number, to: number): Promise<RepoId[]> {
  const rows = await db
    .selectFrom('push')
    .select('repo_id')
    .distinct()
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('new_oid', 'in', ['0'.repeat(40), '0'.repeat(64)])
    .orderBy('repo_id')
    .execute()
  return rows.map((row) => asId(row.repo_id))
}

/** Turns disabled units off in every repository, and restores those that are enabled again. */
export async function suspendUnits(tx: Tx, disabled: UnitSet): Promise<void> {
  await tx
    .updateTable('repo')
    .set({
      units: sql`(units & ~cast(${disabled} as bigint)) | (suspended_units & ~cast(${disabled} as bigint))`,
      suspended_units: sql`(units | suspended_units) & cast(${disabled} as bigint)`,
    })
    .where(
      sql<boolean>`(units & cast(${disabled} as bigint)) <> 0 or (suspended_units & ~cast(${disabled} as bigint)) <> 0`,
    )
    .execute()
}

/** The ids of the repositories of an account. */
export const selectOwnedRepoIds = (db: Db, ownerId: UserId) =>
  db.selectFrom('repo').select('id').where('owner_id', '=', ownerId)
