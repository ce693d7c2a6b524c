import type { Pages } from '../source.ts'

/** One list of two, each in ascending order of keys. */
export async function* mergeAscending<T>(one: Pages<T>, other: Pages<T>, keyOf: (item: T) => number): Pages<T> {
  const lists = [itemsOf(one), itemsOf(other)] as const
  let [left, right] = [await lists[0].next(), await lists[1].next()]
  let page: T[] = []
  try {
    while (!left.done || !right.done) {
      if (!left.done && (right.done || keyOf(left.value) <= keyOf(right.value))) {
        page.push(left.value)
        left = await lists[0].next()
      } else if (!right.done) {
        page.push(right.value)
        right = await lists[1].next()
      }
      if (page.length < PAGE) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  } finally {
    for (const list of lists) await list.return()
  }
}

const PAGE = 50

async function* itemsOf<T>(pages: Pages<T>): AsyncGenerator<T, void, undefined> {
  for await (const page of pages) yield* page
}
