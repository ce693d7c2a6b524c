import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { deleteDispatchedBefore } from './event.store.ts'

export const KEEP_MS = 7 * 24 * 60 * 60_000

/** Deletes events that were dispatched more than a week ago. */
export async function pruneEvents(database: Database, clock: Clock): Promise<void> {
  await database.transaction((tx) => deleteDispatchedBefore(tx, clock.now() - KEEP_MS))
}
