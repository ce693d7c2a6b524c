import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely'
import { type Db, dialectOf, type Tx } from '../db/database.ts'
import { defineQuery } from '../db/prepared-statement.ts'
import type { Schema } from '../db/schema.ts'
import type { JobKind } from './catalog.ts'
import type { JobTable } from './job.table.ts'

export type JobRow = Selectable<JobTable>

export interface NewJob {
  readonly kind: string
  readonly key: string
  readonly payload: string
  readonly runAt: number
  readonly now: number
}

/** Does nothing while a job of this kind and key is waiting. Returns whether it inserted one. */
export async function insertJob(tx: Tx, { kind, key, payload, runAt, now }: NewJob): Promise<boolean> {
  return (await insertion(tx, { kind, key, payload, runAt, now })).length > 0
}

const insertion = defineQuery((db, { kind, key, payload, runAt, now }: NewJob) =>
  db
    .insertInto('job')
    .columns(['kind', 'key', 'payload', 'run_at', 'created_at'])
    .expression(
      db
        .selectNoFrom((eb) => [
          eb.cast<string>(eb.val(kind), 'text').as('kind'),
          eb.cast<string>(eb.val(key), 'text').as('key'),
          eb.cast<string>(eb.val(payload), 'text').as('payload'),
          eb.cast<number>(eb.val(runAt), 'bigint').as('run_at'),
          eb.cast<number>(eb.val(now), 'bigint').as('created_at'),
        ])
        .where(({ not, exists }) => not(exists(waiting(db, { kind, key })))),
    )
    .returning('id'),
)

const waiting = (db: Db, { kind, key }: Pick<NewJob, 'kind' | 'key'>) =>
  db.selectFrom('job').select('id').where('kind', '=', kind).where('key', '=', key).where('state', '=', 'waiting')

/** Whether there is a job of the kind, in whatever state. */
export async function hasJobs(db: Db, kind: JobKind): Promise<boolean> {
  return (await oneOf(db, { kind })).length > 0
}

const oneOf = defineQuery((db, { kind }: { kind: string }) =>
  db.selectFrom('job').select('id').where('kind', '=', kind).limit(1),
)

/** Deletes the waiting job of this kind and key, if there is one. */
export async function deleteWaitingJob(tx: Tx, { kind, key }: Pick<NewJob, 'kind' | 'key'>): Promise<void> {
  await tx.deleteFrom('job').where('kind', '=', kind).where('key', '=', key).where('state', '=', 'waiting').execute()
}

/** The jobs that may be claimed. */
export interface DueJobs {
  readonly now: number
  /** Includes jobs whose worker has sent no heartbeat for a whole lease. */
  readonly takesOver: boolean
}

const isDue = (eb: ExpressionBuilder<Schema, 'job'>, { now, takesOver }: DueJobs): Expression<SqlBool> => {
  const waiting = eb.and([eb('state', '=', 'waiting'), eb('run_at', '<=', now)])
  return takesOver ? eb.or([waiting, eb.and([eb('state', '=', 'running'), eb('lease_until', '<', now)])]) : waiting
}

/** The kinds of jobs of which any is due. */
export async function listDueKinds(db: Db, { now, takesOver }: DueJobs): Promise<string[]> {
  return (await dueKinds(db, { now }, takesOver ? 'takes over' : '')).map(({ kind }) => kind)
}

const dueKinds = defineQuery((db, { now }: { now: number }, takesOver: string) =>
  db
    .selectFrom('job')
    .select('kind')
    .distinct()
    .where((eb) => isDue(eb, { now, takesOver: takesOver !== '' })),
)

interface NewLease {
  readonly now: number
  /** Kinds of jobs, at least one. */
  readonly kinds: readonly string[]
  readonly leaseUntil: number
  readonly holder: string
}

/** Leases up to `limit` due jobs of some kinds until `leaseUntil`; no other worker gets them before that. */
export const leaseJobs = (
  tx: Tx,
  { now, takesOver, kinds, leaseUntil, holder, limit }: DueJobs & NewLease & { readonly limit: number },
): Promise<JobRow[]> => leases(tx, { now, kinds, leaseUntil, holder }, takesOver ? 'takes over' : '', String(limit))

// NOTE: PostgreSQL might run a subquery that is not materialized several times, and lock more rows each time.
const leases = defineQuery((db, { now, kinds, leaseUntil, holder }: NewLease, takesOver: string, limit: string) => {
  const due = db
    .selectFrom('job')
    .select('id')
    .where((eb) => isDue(eb, { now, takesOver: takesOver !== '' }))
    .where('kind', 'in', kinds)
    .orderBy('run_at')
    .orderBy('id')
    .limit(Number(limit))
  return db
    .with(
      (cte) => cte('due').materialized(),
      () => dialectOf(db as Tx).lockFreeRows(due),
    )
    .updateTable('job')
    .set({ state: 'running', lease_until: leaseUntil, holder, attempts: sql<number>`attempts + 1` })
    .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
    .returningAll()
})

/** A job as one process has leased it: each lease is a further attempt. */
type LeasedJob = Pick<JobRow, 'attempts' | 'holder' | 'id'>

/** False when the lease is another one's by now, or was ended. */
export async function extendLease(tx: Tx, { id, attempts, holder }: LeasedJob, leaseUntil: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('job')
    .set({ lease_until: leaseUntil })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('attempts', '=', attempts)
    .where('holder', '=', holder)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The processes that have leases. */
export async function listJobHolders(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('job').select('holder').distinct().where('state', '=', 'running').execute()
  return rows.map((row) => row.holder)
}

export async function freeJobsOf(tx: Tx, holders: readonly string[]): Promise<void> {
  await tx
    .updateTable('job')
    .set({ lease_until: 0, holder: '' })
    .where('state', '=', 'running')
    .where('holder', 'in', holders)
    .execute()
}

export async function deleteJobs(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await deletion(tx, { ids })
}

const deletion = defineQuery((db, { ids }: { ids: readonly number[] }) => db.deleteFrom('job').where('id', 'in', ids))

/**
 * Puts a failed job back for later, or among the dead where an administrator can see it. False for one that has another
 * lease by now.
 */
export async function failJob(
  tx: Tx,
  { id, attempts }: LeasedJob,
  failure: { attempts: number; error: string; retryAt: number | undefined },
): Promise<boolean> {
  const error = failure.error.slice(0, 2000)
  const values =
    failure.retryAt === undefined
      ? { state: 'dead' as const, last_error: error }
      : { state: 'waiting' as const, run_at: failure.retryAt, last_error: error }
  const { numUpdatedRows } = await tx
    .updateTable('job')
    .set({ ...values, attempts: failure.attempts, lease_until: 0, holder: '' })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function countJobs(db: Db, states: readonly JobRow['state'][]): Promise<number> {
  const { count } = await db
    .selectFrom('job')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', 'in', states)
    .executeTakeFirstOrThrow()
  return count
}

/** Jobs of a kind. */
interface JobNumbers {
  readonly kind: string
  readonly queued: number
  readonly running: number
  readonly dead: number
  /** Epoch milliseconds; undefined while none is due. */
  readonly oldestDueAt: number | undefined
}

/** Numbers of jobs by kind; kinds without jobs are omitted. */
export async function loadJobNumbers(db: Db, now: number): Promise<JobNumbers[]> {
  const rows = await db
    .selectFrom('job')
    .select(['kind', 'state', (eb) => eb.fn.countAll<number>().as('count')])
    .select((eb) => eb.fn.min('run_at').as('first_at'))
    .groupBy(['kind', 'state'])
    .orderBy('kind')
    .execute()
  return [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, states]) => {
    const of = (state: JobRow['state']) => states.find((row) => row.state === state)
    const firstAt = of('waiting')?.first_at
    return {
      kind,
      queued: of('waiting')?.count ?? 0,
      running: of('running')?.count ?? 0,
      dead: of('dead')?.count ?? 0,
      oldestDueAt: firstAt !== undefined && firstAt <= now ? firstAt : undefined,
    }
  })
}

/** Jobs of some kinds that are waiting or running, the oldest first. */
export const listUnfinishedJobs = (db: Db, kinds: readonly string[]): Promise<Pick<JobRow, 'kind' | 'payload'>[]> =>
  db
    .selectFrom('job')
    .select(['kind', 'payload'])
    .where('kind', 'in', kinds)
    .where('state', 'in', ['waiting', 'running'])
    .orderBy('id')
    .execute()
