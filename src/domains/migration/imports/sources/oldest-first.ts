import { members } from '../../../../core/platform/json-members.ts'
import type { ForgeApi } from '../forge-api.ts'
import { ForgeError } from '../forge-error.ts'
import type { Bookmark, Pages } from '../source.ts'
import { countOf } from './read.ts'

const MAX_HELD = 2_000
const CHUNK = 100
const MAX_PAGES = 100_000
/** Number of pages that are read again because the list may have grown. */
const MAX_REREAD = 1_000
/** Keys that are remembered, because pages that are read again contain them. */
const MAX_SEEN = 20_000
/** Deleted items move later ones to earlier pages. */
const MARGIN_PAGES = 10

interface List {
  readonly path: string
  /** The member by which the list is in order, such as `number`. */
  readonly key: 'number' | 'id' | 'iid' | 'ticket-id'
  /** Skips items with this key or a lower one. */
  readonly after: number
  readonly absent?: readonly number[]
  /** Begins where an earlier run has come to, and is moved on before items are given. */
  readonly bookmark?: Bookmark | undefined
}

interface Held {
  readonly item: unknown
  readonly key: number
  /** The page that contains it. */
  readonly page: number
}

/**
 * A list in ascending order of keys, whichever way round the service sorts it. Items whose key comes before its turn,
 * as the number of a transferred issue does in a list by time, wait for it.
 */
export async function* oldestFirst(api: ForgeApi, list: List, signal: AbortSignal): Pages<unknown> {
  const { after, bookmark = { page: 1 } } = list
  const keyOf = (item: unknown): number => countOf(members(item)[list.key])
  const seen = new Set<number>()
  let held: Held[] = []
  for await (const { items, page } of forwards(api, list, { keyOf, signal, absent: list.absent })) {
    const fresh = items
      .map((item) => ({ item, key: keyOf(item), page }))
      .filter(({ key }) => key > after && !seen.has(key))
    if (fresh.length === 0) continue
    for (const { key } of fresh) seen.add(key)
    forgetFirst(seen)
    const least = fresh.reduce<number>((low, { key }) => Math.min(low, key), Number.POSITIVE_INFINITY)
    const ready = held.length > MAX_HELD ? held : held.filter(({ key }) => key < least)
    bookmark.page = held.reduce((low, one) => Math.min(low, one.page), page)
    yield* chunks(ready)
    held = [...held.slice(ready.length), ...fresh].toSorted((one, other) => one.key - other.key)
  }
  yield* chunks(held)
}

function forgetFirst(seen: Set<number>): void {
  for (const key of seen) {
    if (seen.size <= MAX_SEEN) return
    seen.delete(key)
  }
}

function* chunks(held: readonly Held[]): Generator<readonly unknown[], void, undefined> {
  for (let start = 0; start < held.length; start += CHUNK)
    yield held.slice(start, start + CHUNK).map(({ item }) => item)
}

interface Walk {
  readonly signal: AbortSignal
  readonly absent: List['absent']
  keyOf(item: unknown): number
}

interface Page {
  readonly items: readonly unknown[]
  /** 1 in lists that are read backwards, which always start from the beginning. */
  readonly page: number
}

async function* forwards(api: ForgeApi, list: List, walk: Walk): AsyncGenerator<Page, void, undefined> {
  const { path, absent } = list
  const first = await firstPage(api, list, walk)
  let page = first
  for await (const items of api.pages(path, walk.signal, absent, first)) {
    if (page === first && items.length > 1 && walk.keyOf(items[0]) > walk.keyOf(items.at(-1))) {
      for await (const others of backwards(api, path, walk)) yield { items: others, page: 1 }
      return
    }
    yield { items, page }
    page++
  }
}

/**
 * A page before that of the bookmark. The first one if the page does not begin with an item that an earlier run has
 * read: the list has become shorter, or does not have this page.
 */
async function firstPage(api: ForgeApi, { path, after, bookmark }: List, { keyOf, signal }: Walk): Promise<number> {
  const page = (bookmark?.page ?? 1) - MARGIN_PAGES
  if (page <= 1) return 1
  try {
    const { items } = await api.page(path, page, signal)
    return items.length > 0 && keyOf(items[0]) <= after ? page : 1
  } catch (error) {
    if (!(error instanceof ForgeError) || error.kind === 'busy') throw error
    return 1
  }
}

/**
 * Reads a list that begins with the newest item from its last page to its first. New items move older ones to later
 * pages, which are then read again.
 */
async function* backwards(api: ForgeApi, path: string, walk: Walk): Pages<unknown> {
  const first = await api.page(path, 1, walk.signal)
  const size = Math.max(1, first.items.length)
  let total = first.total ?? 0
  let number = first.total === undefined ? await findLastPage(api, path, walk) : Math.ceil(first.total / size)
  if (number > MAX_PAGES) throw new ForgeError('failed', 'the list of the other server has no end')
  for (let reread = 0; number >= 1; number--) {
    const { items, total: now = 0 } = await api.page(path, number, walk.signal, walk.absent)
    if (now > total && reread < MAX_REREAD) {
      const growth = Math.ceil((now - total) / size)
      reread += growth
      number += growth + 1
      total = now
    } else yield items.toReversed()
  }
}

/** Finds the last page by bisection, for a service that does not report the length of the list. */
async function findLastPage(api: ForgeApi, path: string, { signal, keyOf, absent }: Walk): Promise<number> {
  const newest = keyOf((await api.page(path, 1, signal)).items[0])
  // A service that knows no pages answers with the first one again.
  const isBeyond = async (page: number): Promise<boolean> => {
    const { items } = await api.page(path, page, signal, absent)
    return items.length === 0 || keyOf(items[0]) >= newest
  }
  let beyond = 2
  while (beyond <= MAX_PAGES && !(await isBeyond(beyond))) beyond *= 2
  let last = beyond / 2
  while (beyond - last > 1) {
    const middle = Math.floor((last + beyond) / 2)
    if (await isBeyond(middle)) beyond = middle
    else last = middle
  }
  return last
}
