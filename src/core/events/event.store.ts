import type { Insertable, Selectable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../db/database.ts'
import { defineQuery } from '../db/prepared-statement.ts'
import type { EventKind, EventPayload } from './catalog.ts'
import type { EventTable } from './event.table.ts'

export type EventRow = Selectable<EventTable>

type NewRow = Pick<Insertable<EventTable>, 'kind' | 'repo_id' | 'actor_id' | 'payload' | 'created_at'>

/** Inserts at least one event. Returns their ids, which ascend in the order of the rows. */
export async function insertEvents(tx: Tx, rows: readonly NewRow[]): Promise<number[]> {
  const pending = rows.map((row) => ({ ...row, dispatched_at: 0, attempts: 0 }))
  const inserted = await insertion(tx, { rows: pending })
  return inserted.map(({ id }) => id).toSorted((a, b) => a - b)
}

const insertion = defineQuery((db, { rows }: { rows: readonly Insertable<EventTable>[] }) =>
  db.insertInto('event').values(rows).returning('id'),
)

export async function hasPendingEvents(db: Db, now: number): Promise<boolean> {
  return (await pending(db, { now })).length > 0
}

const pending = defineQuery((db, { now }: { now: number }) =>
  db.selectFrom('event').select('id').where('dispatched_at', '=', 0).where('next_attempt_at', '<=', now).limit(1),
)

/**
 * Up to `limit` events that may be dispatched now, by id: those that belong to no repository, and of each repository
 * the oldest pending ones up to the first that waits for its next attempt or that another node has locked. All are
 * locked, so that other nodes do not get later events of these repositories until the transaction ends.
 */
export async function lockPendingEvents(tx: Tx, now: number, limit: number): Promise<EventRow[]> {
  const oldest = await oldestEvents(tx, { now }, String(limit))
  const repoIds = oldest.map((event) => event.repo_id).filter((id) => id !== 0)
  if (repoIds.length === 0 || oldest.length === limit) return oldest
  const ofNone = oldest.filter((event) => event.repo_id === 0)
  const due = unbroken(await eventsOf(tx, { repoIds }, String(limit)), now)
  return [...ofNone, ...due].sort((a, b) => a.id - b.id).slice(0, limit)
}

/** An event with the id of the pending event before it in its repository; null for the oldest. */
type FollowingRow = EventRow & { readonly previous: number | null }

/** The pending events of these repositories that no other node has, by id. */
const eventsOf = defineQuery((db, { repoIds }: { repoIds: readonly number[] }, limit: string) => {
  const pending = db
    .selectFrom('event')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('event as earlier')
        .select((earlier) => earlier.fn.max('earlier.id').as('id'))
        .where('earlier.dispatched_at', '=', 0)
        .whereRef('earlier.repo_id', '=', 'event.repo_id')
        .whereRef('earlier.id', '<', 'event.id')
        .as('previous'),
    )
    .where('dispatched_at', '=', 0)
    .where('repo_id', 'in', repoIds)
    .orderBy('id')
    .limit(Number(limit))
  return dialectOf(db as Tx).lockFreeRows(pending)
})

/**
 * NOTE: an event may be committed after later ones of its repository. Then this node has it as the oldest while another
 * one is at work on the later ones.
 */
function unbroken(events: readonly FollowingRow[], now: number): EventRow[] {
  const taken = new Set<number>()
  return events.filter(({ id, previous, next_attempt_at: nextAt }) => {
    const isNext = nextAt <= now && (previous === null || taken.has(previous))
    if (isNext) taken.add(id)
    return isNext
  })
}

/** The oldest pending event of each repository, and all that belong to none. */
const oldestEvents = defineQuery((db, { now }: { now: number }, limit: string) => {
  const pending = db
    .selectFrom('event')
    .selectAll()
    .where('dispatched_at', '=', 0)
    .where('next_attempt_at', '<=', now)
    .where((eb) =>
      eb.or([
        eb('repo_id', '=', 0),
        eb.not(
          eb.exists(
            eb
              .selectFrom('event as earlier')
              .select('earlier.id')
              .where('earlier.dispatched_at', '=', 0)
              .whereRef('earlier.repo_id', '=', 'event.repo_id')
              .whereRef('earlier.id', '<', 'event.id'),
          ),
        ),
      ]),
    )
    .orderBy('id')
    .limit(Number(limit))
  return dialectOf(db as Tx).lockFreeRows(pending)
})

export async function markDispatched(tx: Tx, ids: readonly number[], at: number): Promise<void> {
  if (ids.length > 0) await dispatched(tx, { ids, at })
}

const dispatched = defineQuery((db, { ids, at }: { ids: readonly number[]; at: number }) =>
  db.updateTable('event').set({ dispatched_at: at }).where('id', 'in', ids),
)

/** If `retryAt` is undefined, the event is not retried: it remains for an administrator to see. */
export async function markFailed(
  tx: Tx,
  id: number,
  failure: { readonly attempts: number; readonly error: string; readonly retryAt: number | undefined },
): Promise<void> {
  const { attempts, error, retryAt } = failure
  const values = retryAt === undefined ? { dispatched_at: -1 } : { next_attempt_at: retryAt }
  await tx
    .updateTable('event')
    .set({ ...values, attempts, last_error: error.slice(0, 2000) })
    .where('id', '=', id)
    .execute()
}

export async function deleteDispatchedBefore(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('event').where('dispatched_at', '>', 0).where('dispatched_at', '<', time).execute()
}

/** An event without its payload. */
export type EventHead = Pick<EventRow, 'actor_id' | 'created_at' | 'id' | 'kind' | 'repo_id'>

const HEAD = ['id', 'kind', 'repo_id', 'actor_id', 'created_at'] as const

/** Events with an id greater than `after`, ordered by id. */
export const listEventsAfter = (db: Db, after: number, limit: number): Promise<EventHead[]> =>
  db.selectFrom('event').select(HEAD).where('id', '>', after).orderBy('id').limit(limit).execute()

/** 0 without events. */
export async function findNewestEventId(db: Db): Promise<number> {
  const row = await db.selectFrom('event').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

export const findEventHead = (db: Db, id: number): Promise<EventHead | undefined> =>
  db.selectFrom('event').select(HEAD).where('id', '=', id).executeTakeFirst()

/** The payloads, as JSON, by id; missing events are omitted. */
export async function loadPayloads(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('event').select(['id', 'payload']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, payload }) => [id, payload]))
}

/** Events with ids in a range, which does not contain its first id. */
export interface EventRange {
  readonly after: number
  readonly upTo: number
  /** Undefined for events of all and of no repository. */
  readonly repoId?: number | undefined
  readonly kinds: readonly string[]
}

/** Events of a range, ordered by id. */
export const listEventsBetween = (db: Db, { after, upTo, repoId, kinds }: EventRange, limit: number) =>
  db
    .selectFrom('event')
    .select([...HEAD, 'payload'])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('kind', 'in', kinds)
    .$if(repoId !== undefined, (query) => query.where('repo_id', '=', repoId!))
    .orderBy('id')
    .limit(limit)
    .execute()

/** The events of a kind in some repositories, which are few. */
export async function listEventsOfRepos<Kind extends EventKind>(
  db: Db,
  repoIds: readonly number[],
  kind: Kind,
): Promise<{ readonly repoId: number; readonly payload: EventPayload<Kind> }[]> {
  const rows = await db
    .selectFrom('event')
    .select(['repo_id', 'payload'])
    .where('repo_id', 'in', repoIds)
    .where('kind', '=', kind)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ repoId: row.repo_id, payload: JSON.parse(row.payload) as EventPayload<Kind> }))
}

/** Events of some kinds that subscribers have yet to take, by id. */
export const listPendingEvents = (db: Db, kinds: readonly string[]): Promise<Pick<EventRow, 'kind' | 'payload'>[]> =>
  db
    .selectFrom('event')
    .select(['kind', 'payload'])
    .where('dispatched_at', '=', 0)
    .where('kind', 'in', kinds)
    .orderBy('id')
    .execute()
