import type { ExpressionBuilder, Selectable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import type { DomainEvent } from '../../../../core/events/index.ts'
import type { HookMessage } from '../payloads/payload.ts'
import type { EventSource } from './match-hooks.policy.ts'

/** An event of the outbox whose messages are to be built. */
export interface WaitingEvent {
  readonly event: DomainEvent
  readonly attempts: number
  /** Messages that were built before their repository was deleted. */
  readonly messages: readonly HookMessage[] | undefined
}

/**
 * Whether any active webhook may receive an event of this source: webhooks of the repository, of its owner or of the
 * site. NOTE: a webhook that is added between an event and its dispatch may receive the event.
 */
export async function hasActiveWebhooks(
  tx: Tx,
  source: EventSource,
  { siteOnly }: { readonly siteOnly: boolean },
): Promise<boolean> {
  const shape = siteOnly ? 'site' : source.ownerId > 0 ? 'known owner' : 'owner of the row'
  return (await activeOf(tx, source, shape)).length > 0
}

const activeOf = defineQuery(
  (db, { repoId, ownerId }: EventSource, shape: 'known owner' | 'owner of the row' | 'site') =>
    db
      .selectFrom('webhook')
      .select('id')
      .where('is_active', '=', 1)
      .where((eb) => {
        const ofSite = eb('scope', '=', 'system')
        if (shape === 'site') return ofSite
        const owner = eb.selectFrom('repo').select('repo.owner_id').where('repo.id', '=', repoId)
        if (shape === 'known owner') return eb.or([ofSite, eb('repo_id', '=', repoId), eb('owner_id', '=', ownerId)])
        // NOTE: the owner of a deleted repository is looked up when the messages are built.
        const mayBeOfOwner = eb.and([eb('owner_id', 'is not', null), eb.not(eb.exists(owner))])
        return eb.or([ofSite, eb('repo_id', '=', repoId), eb('owner_id', '=', owner), mayBeOfOwner])
      })
      .limit(1),
)

/** Does nothing for events that already exist. */
export async function insertHookEvents(tx: Tx, eventIds: readonly number[]): Promise<void> {
  await insertion(tx, { rows: eventIds.map((id) => ({ event_id: id })) })
}

const insertion = defineQuery((db, { rows }: { rows: readonly { readonly event_id: number }[] }) =>
  db
    .insertInto('hook_event')
    .values(rows)
    .onConflict((conflict) => conflict.column('event_id').doNothing()),
)

/** The times of a lease. */
export interface LeaseTimes {
  readonly now: number
  readonly leaseMs: number
}

/**
 * A lease that ends later was written before the clock was set back. NOTE: the clock of another process may be ahead,
 * and it may read its clock after this one; its lease then ends slightly later than a full lease from now.
 */
export const farLease = ({ now, leaseMs }: LeaseTimes): number => now + 2 * leaseMs

/** The times of a lease, and the requesting process. */
type LeaseOf = LeaseTimes & { readonly holder: string }

/**
 * The ids of the events that may be built now, oldest first; empty while another process builds some. Leases of this
 * process are ignored, because they stem from an interrupted run while the database was unavailable. Events that are
 * not dispatched yet are excluded, because their dispatch would insert the row again.
 */
export async function listBuildableEvents(db: Db, { now, leaseMs, holder }: LeaseOf, limit: number): Promise<number[]> {
  const rows = await buildable(db, { now, far: farLease({ now, leaseMs }), holder }, String(limit))
  return rows.map((row) => row.event_id)
}

const buildable = defineQuery(
  (db, { now, far, holder }: { now: number; far: number; holder: string }, limit: string) => {
    const undispatched = db
      .selectFrom('event')
      .select('event.id')
      .whereRef('event.id', '=', 'hook_event.event_id' as 'event.id')
      .where('event.dispatched_at', '=', 0)
    const building = db
      .selectFrom('hook_event as building')
      .select('building.event_id')
      .where('building.lease_until', '>', now)
      .where('building.lease_until', '<=', far)
      .where('building.holder', '!=', holder)
    return db
      .selectFrom('hook_event')
      .select('event_id')
      .where('next_at', '<=', now)
      .where(({ not, exists }) => not(exists(undispatched)))
      .where(({ not, exists }) => not(exists(building)))
      .orderBy('event_id')
      .limit(Number(limit))
  },
)

/** Leases all of the events or none: returns false when another process has a lease on some of them. */
export async function leaseHookEvents(
  tx: Tx,
  ids: readonly number[],
  { now, leaseMs, holder }: LeaseOf,
): Promise<boolean> {
  const free = await freeEvents(tx, { ids, now, far: farLease({ now, leaseMs }), holder })
  if (free.length !== ids.length) return false
  await lease(tx, { ids, until: now + leaseMs, holder })
  return true
}

type Ids = { readonly ids: readonly number[] }

const freeEvents = defineQuery(
  (db, { ids, now, far, holder }: Ids & { readonly now: number; readonly far: number; readonly holder: string }) =>
    dialectOf(db as Tx).lockRows(
      db
        .selectFrom('hook_event')
        .select('event_id')
        .where('event_id', 'in', ids)
        .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', far), eb('holder', '=', holder)]))
        .orderBy('event_id'),
    ),
)

const lease = defineQuery((db, { ids, until, holder }: Ids & { readonly until: number; readonly holder: string }) =>
  db.updateTable('hook_event').set({ lease_until: until, holder }).where('event_id', 'in', ids),
)

const EVENT = [
  'event.id',
  'event.kind',
  'event.repo_id',
  'event.actor_id',
  'event.payload',
  'event.created_at',
] as const

type EventColumns = Pick<Selectable<Schema['event']>, 'actor_id' | 'created_at' | 'id' | 'kind' | 'payload' | 'repo_id'>

const eventOf = (row: EventColumns): DomainEvent =>
  ({
    id: row.id,
    kind: row.kind,
    repoId: row.repo_id,
    actorId: row.actor_id,
    at: row.created_at,
    payload: JSON.parse(row.payload) as unknown,
  }) as unknown as DomainEvent

const messagesOf = (text: string): readonly HookMessage[] | undefined =>
  text === '' ? undefined : (JSON.parse(text) as HookMessage[])

/** Sorted by id. */
export async function loadHookEvents(db: Db, ids: readonly number[]): Promise<WaitingEvent[]> {
  const rows = await waitingEvents(db, { ids })
  return rows.map((row) => ({ attempts: row.attempts, event: eventOf(row), messages: messagesOf(row.messages) }))
}

const waitingEvents = defineQuery((db, { ids }: Ids) =>
  db
    .selectFrom('hook_event')
    .innerJoin('event', 'event.id', 'hook_event.event_id')
    .select(EVENT)
    .select(['hook_event.attempts', 'hook_event.messages'])
    .where('hook_event.event_id', 'in', ids)
    .orderBy('hook_event.event_id'),
)

/** The deleted object: a repository, or an account with its repositories. */
export type DeletedSource = { readonly repoId: number } | { readonly ownerId: number }

/**
 * The unbuilt events of the deleted object, ordered by id: the waiting ones, and undispatched ones of these kinds. The
 * latter are locked, so that no other process dispatches them before the transaction ends.
 */
export async function lockUnbuiltEvents(
  tx: Tx,
  source: DeletedSource,
  { kinds, limit }: { readonly kinds: readonly string[]; readonly limit: number },
): Promise<{ readonly event: DomainEvent; readonly isDispatched: boolean }[]> {
  const isThere = (eb: ExpressionBuilder<Schema, 'event'>) => {
    if ('repoId' in source) return eb('event.repo_id', '=', source.repoId)
    const owned = eb.selectFrom('repo').select('repo.id').where('repo.owner_id', '=', source.ownerId)
    return eb.or([eb('event.repo_id', '=', 0), eb('event.repo_id', 'in', owned)])
  }
  const pending = await dialectOf(tx)
    .lockRows(
      tx
        .selectFrom('event')
        .select(EVENT)
        .where('event.dispatched_at', '=', 0)
        .where('event.kind', 'in', kinds)
        .where(isThere)
        .where((eb) => eb('event.id', 'not in', eb.selectFrom('hook_event').select('hook_event.event_id')))
        .orderBy('event.id')
        .limit(limit),
    )
    .execute()
  const waiting = await tx
    .selectFrom('hook_event')
    .innerJoin('event', 'event.id', 'hook_event.event_id')
    .select(EVENT)
    .where('hook_event.messages', '=', '')
    .where(isThere as never)
    .orderBy('event.id')
    .limit(limit)
    .execute()
  return [
    ...waiting.map((row) => ({ event: eventOf(row), isDispatched: true })),
    ...pending.map((row) => ({ event: eventOf(row), isDispatched: false })),
  ]
}

/** Stores the messages of an event. Does nothing when the event was already dispatched and sent by another process. */
export async function storeMessages(
  tx: Tx,
  { event, isDispatched }: { readonly event: DomainEvent; readonly isDispatched: boolean },
  messages: readonly HookMessage[],
): Promise<void> {
  const values = { messages: JSON.stringify(messages) }
  if (isDispatched) await tx.updateTable('hook_event').set(values).where('event_id', '=', event.id).execute()
  else
    await tx
      .insertInto('hook_event')
      .values({ event_id: event.id, ...values })
      .execute()
}

/** Returns the ids of the deleted rows with their stored messages. */
export async function deleteHookEvents(
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly HookMessage[] | undefined>> {
  if (ids.length === 0) return new Map()
  return new Map((await deletion(tx, { ids })).map((row) => [row.event_id, messagesOf(row.messages)]))
}

const deletion = defineQuery((db, { ids }: Ids) =>
  db.deleteFrom('hook_event').where('event_id', 'in', ids).returning(['event_id', 'messages']),
)

export async function extendEventLeases(
  tx: Tx,
  ids: readonly number[],
  { until, holder }: { readonly until: number; readonly holder: string },
): Promise<void> {
  await tx
    .updateTable('hook_event')
    .set({ lease_until: until })
    .where('event_id', 'in', [...ids])
    .where('holder', '=', holder)
    .where('lease_until', '>', 0)
    .execute()
}

/** The processes that hold leases. */
export async function listEventHolders(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('hook_event').select('holder').distinct().where('lease_until', '>', 0).execute()
  return rows.map((row) => row.holder)
}

export async function freeEventsOf(tx: Tx, holders: readonly string[]): Promise<void> {
  await tx.updateTable('hook_event').set({ lease_until: 0, holder: '' }).where('holder', 'in', holders).execute()
}

export async function postponeHookEvent(tx: Tx, id: number, next: { attempts: number; nextAt: number }): Promise<void> {
  await tx
    .updateTable('hook_event')
    .set({ attempts: next.attempts, next_at: next.nextAt, lease_until: 0, holder: '' })
    .where('event_id', '=', id)
    .execute()
}
