import type { SelectQueryBuilder } from 'kysely'
import { type Page, type Paging, totalOf } from '../platform/paging.ts'

/**
 * The rows of `query` in the window, and the exact number of rows that the query has without the window. `query` must
 * be totally ordered and must not group. Runs one query, and a second one that counts when the window does not show the
 * total by itself. Pass `count` where the total is cheaper to get: with fewer joins, or from a counter.
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

/** The number of rows of a query that does not group, whatever it selects and however it is ordered. */
export async function countRows<Schema, Tables extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Tables, Row>,
): Promise<number> {
  // NOTE: over a generic schema the compiler cannot work out the columns of a selection.
  const counted = query.clearSelect().clearOrderBy() as unknown as SelectQueryBuilder<Record<'t', object>, 't', object>
  const { total } = await counted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return total
}
