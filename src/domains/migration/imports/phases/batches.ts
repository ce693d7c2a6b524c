import { PAGE_LENGTH } from '../../../../core/http/body/limits.ts'
import type { Pages } from '../source.ts'

/** Items of one step of a phase. */
export const STEP_ITEMS = 100
/** Characters of the texts of one step, after which no other item is added. */
const STEP_LENGTH = 4 * PAGE_LENGTH

/** Parts of a page that are each written in one step. */
export function* batchesOf<T>(page: readonly T[], lengthOf: (item: T) => number): Generator<readonly T[]> {
  let batch: T[] = []
  let length = 0
  for (const item of page) {
    batch.push(item)
    length += lengthOf(item)
    if (batch.length < STEP_ITEMS && length < STEP_LENGTH) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

/** Batches of a list without its first items, which an earlier run has written, each with the number of items read. */
export async function* batchesAfter<T>(
  pages: Pages<T>,
  after: number,
  lengthOf: (item: T) => number,
): AsyncGenerator<{ readonly batch: readonly T[]; readonly read: number }, void, undefined> {
  let read = 0
  for await (const page of pages) {
    const fresh = page.slice(Math.max(0, after - read))
    read += page.length - fresh.length
    for (const batch of batchesOf(fresh, lengthOf)) {
      read += batch.length
      yield { batch, read }
    }
  }
}
