import type { Database } from '../../../core/db/database.ts'
import { recount, walkWrongCounters, type WrongCounter } from './counter.store.ts'

/** Rows per transaction, so that other transactions can write in between. */
const CHUNK = 100

export interface Recounted {
  /** The number of wrong counters. */
  readonly wrong: number
  readonly first: WrongCounter | undefined
}

/** Recounts wrong counters, some rows at a time. */
export async function recountWrong(database: Database, signal?: AbortSignal): Promise<Recounted> {
  let wrong = 0
  let first: WrongCounter | undefined
  for await (const found of walkWrongCounters(database.read)) {
    first ??= found[0]
    wrong += found.length
    for (let at = 0; at < found.length; at += CHUNK) {
      signal?.throwIfAborted()
      await database.transaction((tx) => recount(tx, found.slice(at, at + CHUNK)))
    }
  }
  return { wrong, first }
}
