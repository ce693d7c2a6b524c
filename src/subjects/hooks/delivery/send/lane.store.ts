import { sql, type Updateable } from 'kysely'
import type { Database, Db, Tx } from '../../../../db/database.ts'
import type { HookLaneTable } from '../delivery.table.ts'
import type { LeaseTimes } from '../hook-event.store.ts'
import { MAX_RETRY_MS } from './retry.policy.ts'

/** The queue of a webhook that this process has to itself. */
export interface Lane {
  readonly hookId: number
  readonly origin: string
  readonly failures: number
  /** Its server did not answer the last time. */
  readonly isSuspect: boolean
}

/** Makes the lanes of webhooks that got deliveries due, unless they wait after a failure. */
export async function wakeLanes(
  tx: Tx,
  hooks: readonly { readonly hookId: number; readonly origin: string }[],
  now: number,
): Promise<void> {
  if (hooks.length === 0) return
  const rows = hooks
    .toSorted((a, b) => a.hookId - b.hookId)
    .map(({ hookId, origin }) => ({ hook_id: hookId, origin, due_at: now }))
  await tx
    .insertInto('hook_lane')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('hook_id').doUpdateSet((eb) => ({
        origin: eb.ref('excluded.origin'),
        due_at: sql<number>`case when hook_lane.due_at = 0 then excluded.due_at else hook_lane.due_at end`,
      })),
    )
    .execute()
}

/** Makes a lane that waits after failures due at once: its address was edited, or a delivery is asked for. */
export async function hurryLane(tx: Tx, hookId: number, origin: string, now: number): Promise<void> {
  await tx
    .updateTable('hook_lane')
    .set({ origin, due_at: sql<number>`case when due_at = 0 then 0 else cast(${now} as bigint) end` })
    .where('hook_id', '=', hookId)
    .execute()
}

interface Choice {
  readonly limit: number
  /** Origins that get no more at the moment. */
  readonly except: readonly string[]
  /** Leave out servers that did not answer the last time. */
  readonly healthyOnly: boolean
}

const freeLanes = (db: Db, { now, leaseMs }: LeaseTimes) =>
  db
    .selectFrom('hook_lane')
    .where('due_at', '>', 0)
    // A time that is too far away was written before the clock was set back.
    .where((eb) => eb.or([eb('due_at', '<=', now), eb('due_at', '>', now + MAX_RETRY_MS)]))
    .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', now + leaseMs)]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhook')
          .select('webhook.id')
          .whereRef('webhook.id', '=', 'hook_lane.hook_id')
          .where('webhook.is_active', '=', 1),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('hook_origin')
            .select('hook_origin.origin')
            .whereRef('hook_origin.origin', '=', 'hook_lane.origin')
            .where('hook_origin.retry_at', '>', now)
            .where('hook_origin.retry_at', '<=', now + MAX_RETRY_MS),
        ),
      ),
    )

/** Lanes that may be taken now, those that wait longest first. */
export async function listDueLanes(db: Db, times: LeaseTimes, { limit, except, healthyOnly }: Choice): Promise<Lane[]> {
  const rows = await freeLanes(db, times)
    .leftJoin('hook_origin as suspect', 'suspect.origin', 'hook_lane.origin')
    .select(['hook_lane.hook_id', 'hook_lane.origin', 'hook_lane.failures', 'suspect.failures as silences'])
    .$if(except.length > 0, (query) => query.where('hook_lane.origin', 'not in', [...except]))
    .$if(healthyOnly, (query) => query.where('suspect.origin', 'is', null))
    .orderBy('hook_lane.due_at')
    .orderBy('hook_lane.hook_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    hookId: row.hook_id,
    origin: row.origin,
    failures: row.failures,
    isSuspect: row.silences !== null,
  }))
}

/** Takes lanes for this process; gives the ids of those that no other has taken meanwhile. */
export async function leaseLanes(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  hookIds: readonly number[],
  { holder, now, leaseMs }: LeaseTimes & { readonly holder: string },
): Promise<Set<number>> {
  const free = await dialect
    .lockFreeRows(
      freeLanes(tx, { now, leaseMs })
        .select('hook_id')
        .where('hook_id', 'in', [...hookIds]),
    )
    .execute()
  const ids = free.map((row) => row.hook_id)
  if (ids.length > 0)
    await tx
      .updateTable('hook_lane')
      .set({ holder, lease_until: now + leaseMs })
      .where('hook_id', 'in', ids)
      .execute()
  return new Set(ids)
}

export async function extendLaneLeases(
  tx: Tx,
  holder: string,
  hookIds: readonly number[],
  until: number,
): Promise<void> {
  await tx
    .updateTable('hook_lane')
    .set({ lease_until: until })
    .where('hook_id', 'in', [...hookIds])
    .where('holder', '=', holder)
    .where('lease_until', '>', 0)
    .execute()
}

/** Gives back every lane of a process that has ended. */
export async function releaseLanesOf(tx: Tx, holder: string): Promise<void> {
  await tx.updateTable('hook_lane').set({ lease_until: 0, holder: '' }).where('holder', '=', holder).execute()
}

/** Locks the lane of a webhook until the transaction ends: deliveries that are added meanwhile wait. */
export async function lockLane(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  hookId: number,
): Promise<{ readonly holder: string } | undefined> {
  return dialect.lockRows(tx.selectFrom('hook_lane').select('holder').where('hook_id', '=', hookId)).executeTakeFirst()
}

export async function updateLane(
  tx: Tx,
  hookId: number,
  values: Partial<Pick<Updateable<HookLaneTable>, 'due_at' | 'lease_until' | 'failures' | 'last_status'>>,
): Promise<void> {
  await tx.updateTable('hook_lane').set(values).where('hook_id', '=', hookId).execute()
}

/** An answer came: the server is healthy. */
export async function deleteOrigin(tx: Tx, origin: string): Promise<void> {
  await tx.deleteFrom('hook_origin').where('origin', '=', origin).execute()
}

/** Counts a failure of a server in a row; returns how many there are. */
export async function countOriginFailure(tx: Tx, origin: string, error: string): Promise<number> {
  const { failures } = await tx
    .insertInto('hook_origin')
    .values({ origin, failures: 1, error })
    .onConflict((conflict) =>
      conflict.column('origin').doUpdateSet({ failures: sql<number>`hook_origin.failures + 1`, error }),
    )
    .returning('failures')
    .executeTakeFirstOrThrow()
  return failures
}

export async function pauseOrigin(tx: Tx, origin: string, retryAt: number): Promise<void> {
  await tx.updateTable('hook_origin').set({ retry_at: retryAt }).where('origin', '=', origin).execute()
}
