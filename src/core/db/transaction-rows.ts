import {
  type CompiledQuery,
  type DatabaseConnection,
  InsertQueryNode,
  type RootOperationNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely'
import type { Schema } from './schema.ts'

type Table = keyof Schema

interface KnownRow {
  readonly row: unknown
  /** All that it was read from. */
  readonly tables: readonly Table[]
  /** No other transaction can change it before this one ends. */
  readonly isLocked: boolean
}

interface Rows {
  readonly byKey: Map<string, KnownRow>
  /** How often some were forgotten. */
  age: number
}

const rowsOf = Symbol('rows of a transaction')
const rowsIn = (db: object): Rows | undefined => (db as { readonly [rowsOf]?: Rows })[rowsOf]

/** What Kysely sends the statements of a transaction through. */
interface Executor {
  provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T>
  executeQuery(query: CompiledQuery): Promise<unknown>
}

interface KeepOptions {
  /** Throws when the transaction has ended. */
  requireOpen(): void
  /** No other transaction writes while this one does. */
  readonly isOnlyWriter: boolean
}

/**
 * The same transaction, for which `rowById` keeps what it reads: the parts of a change (its rule, the projections of
 * its events) need the same few rows. They are forgotten when the transaction sends a statement after which another
 * read may find other values: rows of a table when it changes rows of that table; and, unless it is the only writer,
 * all rows that it has not locked when it changes or locks any row, because it may then have waited for another
 * transaction.
 * NOTE: statements go to the connection itself: on SQLite Kysely's way to it takes as long as a short statement.
 */
export async function keepRows<Tx extends { getExecutor(): object }>(
  tx: Tx,
  { requireOpen, isOnlyWriter }: KeepOptions,
): Promise<Tx> {
  const rows: Rows = { byKey: new Map(), age: 0 }
  const executor = tx.getExecutor() as Executor
  const connection = await executor.provideConnection(async (own) => own)
  executor.executeQuery = async (query) => {
    requireOpen()
    if (!leavesRows(query.query)) {
      rows.age++
      for (const [key, known] of rows.byKey)
        if (mayChange(query.query, known) || !(known.isLocked || isOnlyWriter)) rows.byKey.delete(key)
    }
    return connection.executeQuery(query)
  }
  return Object.assign(tx, { [rowsOf]: rows })
}

/** Plain reads, and inserts that cannot meet a row of the same key. */
const leavesRows = (node: RootOperationNode): boolean =>
  (SelectQueryNode.is(node) && node.endModifiers === undefined && node.with === undefined) ||
  (InsertQueryNode.is(node) && node.onConflict === undefined && node.with === undefined)

/**
 * Whether the statement itself may change the row. A deletion may change any, because foreign keys pass it on, and so
 * may text that only the database understands.
 */
function mayChange(node: RootOperationNode, { tables }: KnownRow): boolean {
  if (SelectQueryNode.is(node)) return node.with !== undefined
  if (!InsertQueryNode.is(node) && !UpdateQueryNode.is(node)) return true
  const table = InsertQueryNode.is(node) ? node.into : node.table
  if (node.with !== undefined || table === undefined || !TableNode.is(table)) return true
  return tables.includes(table.table.identifier.name as Table)
}

const keyOf = (tables: readonly Table[], id: number | string): string => `${tables[0]} ${id}`

/**
 * A row by its id, read once in a transaction; outside of transactions it is read each time. `tables` are all that
 * `load` reads, the one that has the id first. Only rows that exist are kept.
 */
export async function rowById<T>(
  db: object,
  tables: readonly Table[],
  id: number | string,
  load: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const rows = rowsIn(db)
  if (rows === undefined) return load()
  const key = keyOf(tables, id)
  const known = rows.byKey.get(key)
  if (known !== undefined) return known.row as T
  const { age } = rows
  const row = await load()
  if (row !== undefined && rows.age === age) rows.byKey.set(key, { row, tables, isLocked: false })
  return row
}

/**
 * Keeps the rows that a statement of the transaction returns: inserted, updated or locked, so that other transactions
 * leave them as they are until it ends. Returns them. `tables` as for `rowById`.
 */
export async function keepReturned<T>(
  tx: object,
  tables: readonly Table[],
  sent: Promise<readonly T[]>,
  idOf: (row: T) => number,
): Promise<readonly T[]> {
  const rows = rowsIn(tx)
  const age = rows?.age
  const returned = await sent
  if (rows?.age === age)
    for (const row of returned) rows?.byKey.set(keyOf(tables, idOf(row)), { row, tables, isLocked: true })
  return returned
}
