import type { SelectQueryBuilder, Selectable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import type { DatabaseDialect } from '../../../core/db/dialect/dialect.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { Schema } from '../../../core/db/schema.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { StatusState } from '../protections/protections.policy.ts'
import type { CommitStatusTable } from './commit-status.table.ts'

/** A result that was reported for a commit in one context. */
export interface CommitStatus {
  readonly id: number
  readonly repoId: number
  readonly oid: string
  /** Counts from 1 for each commit. */
  readonly number: number
  readonly state: StatusState
  readonly context: string
  readonly description: string
  readonly targetUrl: string
  /** The account may have been deleted. */
  readonly creatorId: number
  readonly createdAt: number
}

export interface CommitKey {
  readonly repoId: RepoId
  readonly oid: string
}

export interface StatusValues {
  readonly state: StatusState
  readonly context: string
  readonly description: string
  readonly targetUrl: string
  readonly creatorId: number
  readonly at: number
}

/** `leastindex` sorts the highest number first, `highestindex` the lowest: clients expect these names. */
export type StatusSort = 'newest' | 'oldest' | 'leastindex' | 'highestindex'

const toStatus = (row: Selectable<CommitStatusTable>): CommitStatus => ({
  id: row.id,
  repoId: row.repo_id,
  oid: row.oid,
  number: row.number,
  state: row.state,
  context: row.context,
  description: row.description,
  targetUrl: row.target_url,
  creatorId: row.creator_id,
  createdAt: row.created_at,
})

/** Prevents other transactions from adding statuses in the repository until this one ends. */
export async function lockStatuses(tx: Tx, { repoId }: CommitKey): Promise<void> {
  await dialectOf(tx)
    .lockRows(tx.selectFrom('repo').select('id').where('id', '=', repoId))
    .execute()
}

/** Inserts the status with the next number of its commit. */
export async function insertCommitStatus(
  tx: Tx,
  dialect: DatabaseDialect,
  commit: CommitKey,
  values: StatusValues,
): Promise<CommitStatus> {
  // NOTE: without the lock two concurrent reports would get the same number.
  await dialect.lockRows(tx.selectFrom('repo').select('id').where('id', '=', commit.repoId)).execute()
  const { last } = await ofCommit(tx, commit)
    .select((eb) => eb.fn.max('number').as('last'))
    .executeTakeFirstOrThrow()
  const { targetUrl, creatorId, at, ...rest } = values
  const row = {
    repo_id: commit.repoId,
    oid: commit.oid,
    number: Number(last ?? 0) + 1,
    ...rest,
    target_url: targetUrl,
    creator_id: creatorId,
    created_at: at,
  }
  return toStatus(await tx.insertInto('commit_status').values(row).returningAll().executeTakeFirstOrThrow())
}

export async function findCommitStatus(db: Db, id: number): Promise<CommitStatus | undefined> {
  const row = await db.selectFrom('commit_status').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toStatus(row)
}

export async function listCommitStatuses(
  db: Db,
  commit: CommitKey,
  { sort, state }: { sort: StatusSort; state: StatusState | undefined },
  paging: Paging,
): Promise<Page<CommitStatus>> {
  let query = ofCommit(db, commit)
  if (state !== undefined) query = query.where('state', '=', state)
  const byTime = sort === 'newest' || sort === 'oldest'
  let sorted = query.selectAll()
  if (byTime) sorted = sorted.orderBy('created_at', sort === 'newest' ? 'desc' : 'asc')
  return selectPage(
    sorted.orderBy('number', sort === 'newest' || sort === 'leastindex' ? 'desc' : 'asc'),
    paging,
    toStatus,
  )
}

/** The newest status of each context, by number; all of them without paging. */
export async function listLatestStatuses(db: Db, commit: CommitKey, paging?: Paging): Promise<Page<CommitStatus>> {
  const newest = ofCommit(db, commit)
    .select((eb) => eb.fn.max('number').as('number'))
    .groupBy('context')
  const query = ofCommit(db, commit).selectAll().where('number', 'in', newest).orderBy('number')
  if (paging) return selectPage(query, paging, toStatus)
  const items = (await query.execute()).map(toStatus)
  return { items, total: items.length }
}

type StatusQuery = SelectQueryBuilder<Schema, 'commit_status', object>

const ofCommit = (db: Db, { repoId, oid }: CommitKey): StatusQuery =>
  db.selectFrom('commit_status').where('repo_id', '=', repoId).where('oid', '=', oid)
