import type { Database } from '../../../core/db/database.ts'
import { recount, walkWrongCounters, type WrongCounter } from './counter.store.ts'

/** Rows of one transaction: others write in between. */
const CHUNK = 100

export interface Recounted {
  /** How many counters were wrong. */
  readonly wrong: number
  readonly first: WrongCounter | undefined
}

/** Counts again what counters say, where they are wrong, some rows at a time. */
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
