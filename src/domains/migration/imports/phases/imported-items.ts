import type { Database, Db } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type ImportedItem, issueImports } from '../../../issues/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { Pages } from '../source.ts'
import { STEP_ITEMS } from './batches.ts'

export interface ItemDeps {
  readonly database: Database
}

interface Found<T> {
  readonly item: ImportedItem
  readonly value: T
}

interface ItemStep<T> {
  readonly cursor: string
  readonly found: readonly Found<T>[]
}

/** The last issue or pull request that was read, and how many of its values, 0 for all of them. */
interface Position {
  readonly isPull: boolean
  readonly number: number
  readonly offset: number
}

const textOf = ({ isPull, number, offset }: Position): string => `${isPull ? 'pull' : 'issue'} ${number} ${offset}`

function parsePosition(cursor: string): Position {
  const [kind, number, offset] = cursor.split(' ')
  return { isPull: kind === 'pull', number: Number(number ?? 0), offset: Number(offset ?? 0) }
}

/**
 * Reads further data of all imported issues, then of all pull requests, by number. Yields at most 100 values at a time,
 * and at least once for 100 issues.
 */
export async function* readOfItems<T>(
  { database: { read } }: ItemDeps,
  { repoId, request: { changed }, source: { atOnce = 1 } }: Pick<PhaseContext, 'repoId' | 'request' | 'source'>,
  cursor: string,
  pagesOf: (item: ImportedItem) => Pages<T>,
): AsyncGenerator<ItemStep<T>, void, undefined> {
  const begun = parsePosition(cursor)
  let found: Found<T>[] = []
  for (const isPull of begun.isPull ? [true] : [false, true]) {
    const from = isPull === begun.isPull ? begun : { isPull, number: 0, offset: 0 }
    const reading = { atOnce, pagesOf, changed }
    for await (const { position, value } of walk(itemsAfter(read, repoId, from), from, reading)) {
      if (value !== undefined) found.push(value)
      if (value !== undefined && found.length < STEP_ITEMS) continue
      yield { cursor: textOf(position), found }
      found = []
    }
  }
}

interface Walked<T> {
  readonly position: Position
  /** Undefined after some issues. */
  readonly value: Found<T> | undefined
}

interface Reading<T> {
  /** Lists that are read side by side. */
  readonly atOnce: number
  /** Numbers of the only items that are read; undefined for all. */
  readonly changed: ReadonlySet<number> | undefined
  pagesOf(item: ImportedItem): Pages<T>
}

/** The values of issues after a position. */
async function* walk<T>(
  lists: AsyncIterable<readonly ImportedItem[]>,
  { isPull, ...from }: Position,
  reading: Reading<T>,
): AsyncGenerator<Walked<T>, void, undefined> {
  for await (const items of lists) {
    for await (const { item, pages } of readAhead(items, reading)) {
      const skipped = item.number === from.number ? from.offset : 0
      for await (const { value, offset } of valuesAfter(pages, skipped))
        yield { position: { isPull, number: item.number, offset }, value: { item, value } }
    }
    yield { position: { isPull, number: items.at(-1)!.number, offset: 0 }, value: undefined }
  }
}

interface Ahead<T> {
  readonly item: ImportedItem
  readonly pages: Pages<T>
}

/** The lists of items in their order; the first pages of the next lists are requested concurrently. */
async function* readAhead<T>(
  items: readonly ImportedItem[],
  { atOnce, changed, pagesOf }: Reading<T>,
): AsyncGenerator<Ahead<T>, void, undefined> {
  const begun: Ahead<T>[] = []
  for (const item of items) {
    if (changed?.has(item.number) === false) continue
    begun.push({ item, pages: beginPages(pagesOf(item)) })
    if (begun.length === atOnce) yield begun.shift()!
  }
  yield* begun
}

/** Requests the first page at once. */
function beginPages<T>(pages: Pages<T>): Pages<T> {
  const iterator = pages[Symbol.asyncIterator]()
  const first = iterator.next()
  first.catch(() => {}) // thrown when the page is read; nobody reads it after another failure
  return {
    async *[Symbol.asyncIterator]() {
      for (let next = await first; next.done !== true; next = await iterator.next()) yield next.value
    },
  }
}

async function* itemsAfter(
  db: Db,
  repoId: RepoId,
  { isPull, number, offset }: Position,
): AsyncGenerator<readonly ImportedItem[], void, undefined> {
  // An issue that was read in part is read again.
  let after = offset === 0 ? number : number - 1
  for (;;) {
    const items = await issueImports.listItems(db, repoId, { isPull, after, limit: STEP_ITEMS })
    if (items.length === 0) return
    yield items
    after = items.at(-1)!.number
  }
}

/** The values of pages without the first ones, each with its position from 1. */
async function* valuesAfter<T>(
  pages: Pages<T>,
  skipped: number,
): AsyncGenerator<{ readonly value: T; readonly offset: number }, void, undefined> {
  let offset = 0
  for await (const page of pages)
    for (const value of page) {
      offset++
      if (offset > skipped) yield { value, offset }
    }
}
