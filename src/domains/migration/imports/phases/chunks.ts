import type { Pages } from '../source.ts'

/** Items that one step writes. */
const STEP_ITEMS = 100

/** The items of a list without the first ones; `end` is the number of items up to the last one. */
export async function* numberedChunks<T>(
  pages: Pages<T>,
  skip: number,
): AsyncGenerator<{ readonly items: readonly T[]; readonly end: number }, void, undefined> {
  let end = 0
  for await (const page of pages) {
    const begin = Math.max(0, skip - end)
    for (let start = begin; start < page.length; start += STEP_ITEMS) {
      const items = page.slice(start, start + STEP_ITEMS)
      yield { items, end: end + start + items.length }
    }
    end += page.length
  }
}

/** The items of a list, a step at a time. */
export async function* chunksOf<T>(pages: Pages<T>): AsyncGenerator<readonly T[], void, undefined> {
  for await (const { items } of numberedChunks(pages, 0)) yield items
}
