import type { Db } from '../db/database.ts'
import type { DomainEvent, EventKind } from './catalog.ts'
import { findEventHead, findNewestEventId, listEventsBetween } from './event.store.ts'
import { toEvent, withPayload } from './follow-events.ts'
import { KEEP_MS } from './prune-events.ts'

/** What a client has not seen, read in pages. */
export interface MissedEvents {
  /** The next events after `after`, at most `PAGE` of them, by id; none when there are no more up to `upTo`. */
  page(after: number, upTo: number): Promise<readonly DomainEvent[]>
}

const PAGE = 100

interface MissedQuery {
  /** The last event that the client has. */
  readonly id: number
  /** Epoch milliseconds. */
  readonly now: number
  /** Undefined for events of all and of no repository, which are found among the next `MAX_SPAN` alone. */
  readonly repoId?: number
  readonly kinds: readonly EventKind[]
}

/** NOTE: no index has the events of some kinds. */
const MAX_SPAN = 20_000

/**
 * The events after the one of an id; undefined when there is no such event, when some that followed it may have been
 * deleted already, or when there are too many to look through.
 */
export async function findMissedEvents(db: Db, { id, now, ...of }: MissedQuery): Promise<MissedEvents | undefined> {
  const last = await findEventHead(db, id)
  if (last === undefined || last.created_at <= now - KEEP_MS) return undefined
  if (of.repoId === undefined && (await findNewestEventId(db)) - id > MAX_SPAN) return undefined
  return {
    async page(after, upTo) {
      const rows = await listEventsBetween(db, { ...of, after, upTo }, PAGE)
      return rows.flatMap((row) => withPayload(toEvent(row), row.payload) ?? [])
    },
  }
}
