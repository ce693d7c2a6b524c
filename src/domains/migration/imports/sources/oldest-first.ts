import { members } from '../../../../core/platform/json-members.ts'
import type { ForgeApi } from '../forge-api.ts'
import { ForgeError } from '../forge-error.ts'
import type { Pages } from '../source.ts'
import { wholeOf } from './read.ts'

const MAX_HELD = 2_000
const CHUNK = 100
const MAX_PAGES = 10_000
/** Pages that are read again because the list grew meanwhile. */
const MAX_REREAD = 1_000

interface List {
  readonly path: string
  /** The member by which the list is in order, such as `number`. */
  readonly key: 'number' | 'id' | 'iid'
  /** Skips items with this key or a lower one. */
  readonly after: number
  readonly absent?: readonly number[]
}

/**
 * A list in ascending order of keys, whichever way round the service sorts it. Items whose key comes before its turn,
 * as the number of a transferred issue does in a list by time, wait for it.
 */
export async function* oldestFirst(api: ForgeApi, list: List, signal: AbortSignal): Pages<unknown> {
  const keyOf = (item: unknown): number => wholeOf(members(item)[list.key])
  const seen = new Set<number>()
  let held: unknown[] = []
  for await (const page of forwards(api, list, { keyOf, signal })) {
    const fresh = page.filter((item) => keyOf(item) > list.after && !seen.has(keyOf(item)))
    if (fresh.length === 0) continue
    for (const item of fresh) seen.add(keyOf(item))
    const least = fresh.reduce<number>((low, item) => Math.min(low, keyOf(item)), Number.POSITIVE_INFINITY)
    const ready = held.length > MAX_HELD ? held : held.filter((item) => keyOf(item) < least)
    yield* chunks(ready)
    held = [...held.slice(ready.length), ...fresh].toSorted((one, other) => keyOf(one) - keyOf(other))
  }
  yield* chunks(held)
}

function* chunks(items: readonly unknown[]): Generator<readonly unknown[], void, undefined> {
  for (let start = 0; start < items.length; start += CHUNK) yield items.slice(start, start + CHUNK)
}

interface Walk {
  readonly signal: AbortSignal
  keyOf(item: unknown): number
}

async function* forwards(api: ForgeApi, { path, absent }: List, walk: Walk): Pages<unknown> {
  let isFirst = true
  for await (const page of api.pages(path, walk.signal, absent)) {
    if (isFirst && page.length > 1 && walk.keyOf(page[0]) > walk.keyOf(page.at(-1))) {
      yield* backwards(api, path, walk)
      return
    }
    isFirst = false
    yield page
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
    const { items, total: now = 0 } = await api.page(path, number, walk.signal)
    if (now > total && reread < MAX_REREAD) {
      const growth = Math.ceil((now - total) / size)
      reread += growth
      number += growth + 1
      total = now
    } else yield items.toReversed()
  }
}

/** By bisection, for a service that does not tell the length of the list. */
async function findLastPage(api: ForgeApi, path: string, { signal, keyOf }: Walk): Promise<number> {
  const newest = keyOf((await api.page(path, 1, signal)).items[0])
  // A service that knows no pages answers with the first one again.
  const isBeyond = async (page: number): Promise<boolean> => {
    const { items } = await api.page(path, page, signal)
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
