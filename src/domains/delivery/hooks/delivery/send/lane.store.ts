import { type Selectable, sql, type Updateable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../../core/db/database.ts'
import { defineQuery } from '../../../../../core/db/prepared-statement.ts'
import type { HookLaneTable, LaneStatus } from '../../hooks.table.ts'
import { farLease, type LeaseTimes } from '../hook-event.store.ts'
import { MAX_RETRY_MS } from './retry.policy.ts'

const LOOKED_AT = 100

/** The queue of a webhook, leased to this process. */
export interface Lane {
  readonly hookId: number
  readonly origin: string
  /** The owner of the webhook or of its repository; 0 for the site. */
  readonly ownerId: number
  readonly failures: number
  readonly lastStatus: LaneStatus
  /** Its server did not respond to the last attempt. */
  readonly isSuspect: boolean
}

/** Makes the lanes of webhooks with new deliveries due, unless they wait after a failure. */
export async function wakeLanes(
  tx: Tx,
  hooks: readonly { readonly hookId: number; readonly origin: string }[],
  now: number,
): Promise<void> {
  if (hooks.length === 0) return
  const rows = hooks
    .toSorted((a, b) => a.hookId - b.hookId)
    .map(({ hookId, origin }) => ({ hook_id: hookId, origin, due_at: now }))
  await insertion(tx, { rows })
}

type NewLane = Pick<Selectable<HookLaneTable>, 'due_at' | 'hook_id' | 'origin'>

const insertion = defineQuery((db, { rows }: { rows: readonly NewLane[] }) =>
  db
    .insertInto('hook_lane')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('hook_id').doUpdateSet((eb) => ({
        origin: eb.ref('excluded.origin'),
        due_at: sql<number>`case when hook_lane.due_at = 0 then excluded.due_at else hook_lane.due_at end`,
      })),
    ),
)

/** Makes a lane that waits after failures due at once, after an edit of its address or a manual redelivery. */
export async function makeLaneDue(tx: Tx, hookId: number, origin: string, now: number): Promise<void> {
  await tx
    .updateTable('hook_lane')
    .set({ origin, due_at: sql<number>`case when due_at = 0 then 0 else cast(${now} as bigint) end` })
    .where('hook_id', '=', hookId)
    .execute()
}

export interface Choice {
  /** Origins that have reached their limit. */
  readonly exceptOrigins: readonly string[]
  /** Accounts that have reached their share of all concurrent deliveries. */
  readonly exceptOwners: readonly number[]
  /** Accounts that have reached their share of an origin, see `shareKey`. */
  readonly exceptShares: readonly string[]
  /** Excludes servers that did not respond to the last attempt. */
  readonly healthyOnly: boolean
}

/** The times that decide which lanes are available. */
interface AvailabilityTimes extends LeaseTimes {
  /** Includes lanes whose process has not extended its lease for a whole lease time. */
  readonly takesOver: boolean
}

/** The range of valid times of pauses and leases: times outside of it were written before the clock was set back. */
interface Bounds {
  readonly now: number
  /** Leases that end at this time or earlier have expired. */
  readonly leaseEnd: number
  readonly farPause: number
  readonly farLease: number
}

const boundsOf = ({ now, leaseMs, takesOver }: AvailabilityTimes): Bounds => ({
  now,
  leaseEnd: takesOver ? now : 0,
  farPause: now + MAX_RETRY_MS,
  farLease: farLease({ now, leaseMs }),
})

const takeableLanes = (db: Db, { now, leaseEnd, farPause, farLease }: Bounds) =>
  db
    .selectFrom('hook_lane')
    .where('due_at', '>', 0)
    .where((eb) => eb.or([eb('due_at', '<=', now), eb('due_at', '>', farPause)]))
    .where((eb) => eb.or([eb('lease_until', '<=', leaseEnd), eb('lease_until', '>', farLease)]))
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
            .where('hook_origin.retry_at', '<=', farPause),
        ),
      ),
    )

/** Available lanes, longest waiting first. */
export async function listDueLanes(db: Db, times: AvailabilityTimes, choice: Choice): Promise<Lane[]> {
  const values = {
    ...boundsOf(times),
    origins: unlessEmpty(choice.exceptOrigins),
    owners: unlessEmpty(choice.exceptOwners),
    shares: unlessEmpty(choice.exceptShares),
  }
  const rows = await dueLanes(db, values, choice.healthyOnly ? 'healthy' : 'all')
  return rows.map((row) => ({
    hookId: row.hook_id,
    origin: row.origin,
    ownerId: row.owner_id,
    failures: row.failures,
    lastStatus: row.last_status,
    isSuspect: row.silences !== null,
  }))
}

type DueValues = Bounds & {
  readonly origins: readonly string[] | undefined
  readonly owners: readonly number[] | undefined
  readonly shares: readonly string[] | undefined
}

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined)

/** Identifies the share of an account in an origin. */
export const shareKey = ({ ownerId, origin }: Pick<Lane, 'ownerId' | 'origin'>): string => `${ownerId} ${origin}`
const ownerOf = sql<number>`coalesce(webhook.owner_id, repo.owner_id, 0)`
const shareOf = sql<string>`${ownerOf} || ' ' || hook_lane.origin`

const dueLanes = defineQuery((db, { origins, owners, shares, ...bounds }: DueValues, which: 'healthy' | 'all') =>
  takeableLanes(db, bounds)
    .innerJoin('webhook', 'webhook.id', 'hook_lane.hook_id')
    .leftJoin('repo', 'repo.id', 'webhook.repo_id')
    .leftJoin('hook_origin as suspect', 'suspect.origin', 'hook_lane.origin')
    .select(['hook_lane.hook_id', 'hook_lane.origin', 'hook_lane.failures', 'suspect.failures as silences'])
    .select(['hook_lane.last_status', ownerOf.as('owner_id')])
    .$if(origins !== undefined, (query) => query.where('hook_lane.origin', 'not in', origins!))
    .$if(owners !== undefined, (query) => query.where(ownerOf, 'not in', owners!))
    .$if(shares !== undefined, (query) => query.where(shareOf, 'not in', shares!))
    .$if(which === 'healthy', (query) => query.where('suspect.origin', 'is', null))
    .orderBy('hook_lane.due_at')
    .orderBy('hook_lane.hook_id')
    .limit(LOOKED_AT),
)

/** Leases lanes to this process; returns the ids of those that no other process has taken concurrently. */
export async function leaseLanes(
  tx: Tx,
  hookIds: readonly number[],
  { holder, ...times }: AvailabilityTimes & { readonly holder: string },
): Promise<Set<number>> {
  const free = await takeableLanesOf(tx, { ...boundsOf(times), hookIds })
  const ids = free.map((row) => row.hook_id)
  if (ids.length > 0) await lease(tx, { hookIds: ids, holder, until: times.now + times.leaseMs })
  return new Set(ids)
}

const takeableLanesOf = defineQuery((db, { hookIds, ...bounds }: Bounds & { hookIds: readonly number[] }) =>
  dialectOf(db as Tx).lockFreeRows(takeableLanes(db, bounds).select('hook_id').where('hook_id', 'in', hookIds)),
)

const lease = defineQuery(
  (db, { hookIds, holder, until }: { hookIds: readonly number[]; holder: string; until: number }) =>
    db.updateTable('hook_lane').set({ holder, lease_until: until }).where('hook_id', 'in', hookIds),
)

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

/** The processes that hold leases. */
export async function listLaneHolders(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('hook_lane').select('holder').distinct().where('lease_until', '>', 0).execute()
  return rows.map((row) => row.holder)
}

/** Releases all lanes of processes that have ended. */
export async function freeLanesOf(tx: Tx, holders: readonly string[]): Promise<void> {
  await tx.updateTable('hook_lane').set({ lease_until: 0, holder: '' }).where('holder', 'in', holders).execute()
}

/**
 * Locks the lanes that a process still holds until the transaction ends; insertions of deliveries wait for it. Excludes
 * lanes of deleted webhooks and lanes that another process took over.
 */
export async function lockLanesOf(tx: Tx, holder: string, hookIds: readonly number[]): Promise<Set<number>> {
  const rows = await lanesOf(tx, { holder, hookIds })
  return new Set(rows.map((row) => row.hook_id))
}

const lanesOf = defineQuery((db, { holder, hookIds }: { holder: string; hookIds: readonly number[] }) =>
  dialectOf(db as Tx).lockRows(
    db
      .selectFrom('hook_lane')
      .select('hook_id')
      .where('hook_id', 'in', hookIds)
      .where('holder', '=', holder)
      .orderBy('hook_id'),
  ),
)

export async function updateLanes(
  tx: Tx,
  hookIds: readonly number[],
  values: Partial<Pick<Updateable<HookLaneTable>, 'due_at' | 'lease_until' | 'failures' | 'last_status'>>,
): Promise<void> {
  if (hookIds.length === 0) return
  await lanesUpdate(tx, { hookIds, ...values })
}

const lanesUpdate = defineQuery(
  (
    db,
    {
      hookIds,
      ...values
    }: Partial<Pick<Updateable<HookLaneTable>, 'due_at' | 'lease_until' | 'failures' | 'last_status'>> & {
      hookIds: readonly number[]
    },
  ) => db.updateTable('hook_lane').set(values).where('hook_id', 'in', hookIds),
)

/** Deletes the failures of servers that have responded. */
export async function deleteOrigins(tx: Tx, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  await tx
    .deleteFrom('hook_origin')
    .where('origin', 'in', [...origins])
    .execute()
}

/** Counts a consecutive failure of a server; returns the number of failures. */
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
