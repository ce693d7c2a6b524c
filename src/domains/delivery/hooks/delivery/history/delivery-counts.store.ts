import type { Db, Database, Tx } from '../../../../../core/db/database.ts'

/** The state of the whole queue. */
export interface QueueCounts {
  readonly waiting: number
  readonly dead: number
  /** When the oldest waiting delivery was queued, in epoch milliseconds; undefined if none waits. */
  readonly oldestAt: number | undefined
  /** Webhooks whose last attempt failed. */
  readonly failingHooks: number
  /** Servers that did not respond to the last attempt. */
  readonly failingHosts: number
}

export async function countQueue(db: Db): Promise<QueueCounts> {
  const [states, oldest, lanes, origins, events] = await Promise.all([
    db
      .selectFrom('hook_delivery')
      .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
      .where('state', 'in', ['waiting', 'dead'])
      .groupBy('state')
      .execute(),
    db
      .selectFrom('hook_delivery')
      .select('queued_at')
      .where('state', '=', 'waiting')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst(),
    db
      .selectFrom('hook_lane')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('failures', '>', 0)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('hook_origin')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('hook_event')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  ])
  const countOf = (state: string): number => states.find((row) => row.state === state)?.count ?? 0
  return {
    waiting: countOf('waiting') + events.count,
    dead: countOf('dead'),
    oldestAt: oldest?.queued_at,
    failingHooks: lanes.count,
    failingHosts: origins.count,
  }
}

/** Rows per step: each may contain large texts, and other transactions wait for this one. */
const BATCH = 200

/** Deletes up to 200 deliveries that ended before the time; returns their number. */
export async function deleteEndedBefore(tx: Tx, time: number): Promise<number> {
  const ids = tx
    .selectFrom('hook_delivery')
    .select('id')
    .where('finished_at', '>', 0)
    .where('finished_at', '<', time)
    .limit(BATCH)
  return deleted(await tx.deleteFrom('hook_delivery').where('id', 'in', ids).executeTakeFirstOrThrow())
}

/** Webhooks with more than `kept` ended deliveries. */
export async function listHooksWithMore(db: Database['read'], kept: number): Promise<number[]> {
  const rows = await db
    .selectFrom('hook_delivery')
    .select('hook_id')
    .where('state', 'in', ['delivered', 'dead'])
    .groupBy('hook_id')
    .having((eb) => eb(eb.fn.countAll(), '>', kept))
    .execute()
  return rows.map((row) => row.hook_id)
}

/** Deletes up to 200 ended deliveries of a webhook except the latest `kept`; returns their number. */
export async function deleteEndedBut(tx: Tx, hookId: number, kept: number): Promise<number> {
  const first = await tx
    .selectFrom('hook_delivery')
    .select('id')
    .where('hook_id', '=', hookId)
    .where('state', 'in', ['delivered', 'dead'])
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return 0
  const ids = tx
    .selectFrom('hook_delivery')
    .select('id')
    .where('hook_id', '=', hookId)
    .where('state', 'in', ['delivered', 'dead'])
    .where('id', '<=', first.id)
    .limit(BATCH)
  return deleted(await tx.deleteFrom('hook_delivery').where('id', 'in', ids).executeTakeFirstOrThrow())
}

export interface MessageStep {
  /** The step starts after this id. */
  readonly after: number
  /** Only messages older than this time are deleted. */
  readonly before: number
}

/**
 * Checks the next 200 messages by id, and deletes those without a delivery; returns the last id that it checked,
 * undefined at the end.
 */
export async function deleteUnusedMessages(tx: Tx, { after, before }: MessageStep): Promise<number | undefined> {
  const next = tx
    .selectFrom('hook_message')
    .select('id')
    .where('id', '>', after)
    .where('created_at', '<', before)
    .orderBy('id')
    .limit(BATCH)
  const ids = (await next.execute()).map(({ id }) => id)
  if (ids.length === 0) return undefined
  await tx
    .deleteFrom('hook_message')
    .where('id', 'in', ids)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('hook_delivery')
            .select('hook_delivery.id')
            .whereRef('hook_delivery.message_id', '=', 'hook_message.id'),
        ),
      ),
    )
    .execute()
  return ids.at(-1)
}

/** Deletes the state of servers that was last updated before the time. */
export async function deleteForgottenOrigins(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('hook_origin').where('retry_at', '>', 0).where('retry_at', '<', before).execute()
}

const deleted = ({ numDeletedRows }: { readonly numDeletedRows: bigint }): number => Number(numDeletedRows)
