import { sql, type SelectQueryBuilder, type Selectable } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { DatabaseDialect } from '../../db/dialect/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import type { StatusState } from '../protections/index.ts'
import type { CommitStatusTable } from './commit-status.table.ts'

/** One reported result of a commit in one context. */
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
  /** The user may be deleted. */
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

/** `leastindex` has the highest number first and `highestindex` the lowest: so clients know them. */
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

/** Gives the status the next number of its commit. */
export async function insertCommitStatus(
  tx: Tx,
  dialect: DatabaseDialect,
  commit: CommitKey,
  values: StatusValues,
): Promise<CommitStatus> {
  // NOTE: without the lock two reports at once would take the same number.
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
  const rows = await sorted
    .orderBy('number', sort === 'newest' || sort === 'leastindex' ? 'desc' : 'asc')
    .limit(paging.limit)
    .offset(paging.offset)
    .execute()
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { items: rows.map(toStatus), total }
}

/** The newest of each context, in order of their numbers. */
export async function listLatestStatuses(db: Db, commit: CommitKey, paging?: Paging): Promise<Page<CommitStatus>> {
  const newest = ofCommit(db, commit)
    .select((eb) => eb.fn.max('number').as('number'))
    .groupBy('context')
  let query = ofCommit(db, commit).selectAll().where('number', 'in', newest).orderBy('number')
  if (paging) query = query.limit(paging.limit).offset(paging.offset)
  const items = (await query.execute()).map(toStatus)
  if (!paging) return { items, total: items.length }
  const { total } = await ofCommit(db, commit)
    .select(sql<number>`count(distinct context)`.as('total'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(total) }
}

type StatusQuery = SelectQueryBuilder<Schema, 'commit_status', object>

const ofCommit = (db: Db, { repoId, oid }: CommitKey): StatusQuery =>
  db.selectFrom('commit_status').where('repo_id', '=', repoId).where('oid', '=', oid)
