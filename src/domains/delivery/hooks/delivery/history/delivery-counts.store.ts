import type { Db } from '../../../../../core/db/database.ts'

/** The state of the whole queue. */
export interface QueueCounts {
  readonly waiting: number
  readonly dead: number
  /** When the oldest that waits was queued, epoch milliseconds; undefined for none. */
  readonly oldestAt: number | undefined
  /** Webhooks whose last attempt failed. */
  readonly failingHooks: number
  /** Servers that did not answer the last time. */
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
