import type { Kysely, SelectQueryBuilder } from 'kysely'
import { type Page, type Paging, totalOf } from '../platform/paging.ts'
import { cachedCount, cachedRows } from './read-cache.ts'

/**
 * Selects the rows of `query` in the window and the exact number of rows without the window. `query` must be totally
 * ordered and must not group. Runs one query, and a count if the window alone does not show the total. Pass `count` if
 * the total is cheaper to get, with fewer joins or from a counter.
 */
export async function selectPage<Schema, Tables extends keyof Schema, Row, Item>(
  query: SelectQueryBuilder<Schema, Tables, Row>,
  paging: Paging,
  toItem: (row: Row) => Item,
  count: () => Promise<number> = () => countRows(query),
): Promise<Page<Item>> {
  const rows = await query.limit(paging.limit).offset(paging.offset).execute()
  return {
    items: rows.map((row) => toItem(row as Row)),
    total: totalOf(paging, rows.length) ?? (await count()),
  }
}

interface PageOfRows<Row, Item> {
  readonly paging: Paging
  /** Loads the items for the rows. */
  load(rows: readonly Row[]): Promise<readonly Item[]>
  readonly count?: () => Promise<number>
  /** The total, if it is known or differs from the number of rows. */
  readonly total?: number
}

/**
 * The same for a page that is requested repeatedly: its rows, such as ids, are read and counted again only after the
 * next commit. The items are loaded while the rows are counted.
 */
export async function cachedPage<Schema, Tables extends keyof Schema, Row, Item>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  query: SelectQueryBuilder<Schema, Tables, Row>,
  { paging, load, count = () => cachedCount(db, counting(query)), total: known }: PageOfRows<Row, Item>,
): Promise<Page<Item>> {
  const rows = (await cachedRows(db, query.limit(paging.limit).offset(paging.offset))) as readonly Row[]
  const [items, total] = await Promise.all([load(rows), known ?? totalOf(paging, rows.length) ?? count()])
  return { items, total }
}

/** The number of rows of a query that does not group, whatever its selection and order. */
export async function countRows<Schema, Tables extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Tables, Row>,
): Promise<number> {
  const { total } = await counting(query).executeTakeFirstOrThrow()
  return total
}

function counting<Schema, Tables extends keyof Schema, Row>(query: SelectQueryBuilder<Schema, Tables, Row>) {
  // NOTE: over a generic schema the compiler cannot infer the columns of a selection.
  const counted = query.clearSelect().clearOrderBy() as unknown as SelectQueryBuilder<Record<'t', object>, 't', object>
  return counted.select((eb) => eb.fn.countAll<number>().as('total'))
}
