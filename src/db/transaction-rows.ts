import {
  InsertQueryNode,
  SelectQueryNode,
  type CompiledQuery,
  type DatabaseConnection,
  type RootOperationNode,
} from 'kysely'

interface Rows {
  readonly byKey: Map<string, unknown>
  /** How often they were forgotten. */
  age: number
}

const rowsOf = Symbol('rows of a transaction')
const rowsIn = (db: object): Rows | undefined => (db as { readonly [rowsOf]?: Rows })[rowsOf]

/** What Kysely sends the statements of a transaction through. */
interface Executor {
  provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T>
  executeQuery(query: CompiledQuery): Promise<unknown>
}

/**
 * The same transaction, for which `rowById` keeps what it reads: the parts of a change (its rule, the projections of
 * its events) need the same few rows. They are forgotten when the transaction sends a statement after which another
 * read may find other values: one that changes rows, and one that waits for row locks of other transactions.
 * `requireOpen` throws when the transaction has ended.
 * NOTE: statements go to the connection itself: on SQLite Kysely's way to it takes as long as a short statement.
 */
export async function keepRows<Tx extends { getExecutor(): object }>(tx: Tx, requireOpen: () => void): Promise<Tx> {
  const rows: Rows = { byKey: new Map(), age: 0 }
  const executor = tx.getExecutor() as Executor
  const connection = await executor.provideConnection(async (own) => own)
  executor.executeQuery = async (query) => {
    requireOpen()
    if (!leavesRows(query.query)) {
      rows.byKey.clear()
      rows.age++
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
 * A row by its id, read once in a transaction; outside of transactions it is read each time. `key` names the table and
 * the id. Only rows that exist are kept.
 */
export async function rowById<T>(db: object, key: string, load: () => Promise<T | undefined>): Promise<T | undefined> {
  const rows = rowsIn(db)
  if (rows === undefined) return load()
  const known = rows.byKey.get(key)
  if (known !== undefined) return known as T
  const { age } = rows
  const row = await load()
  if (row !== undefined && rows.age === age) rows.byKey.set(key, row)
  return row
}

/** Keeps the rows that a statement of the transaction returns: inserted, updated or locked. Returns them. */
export async function keepReturned<T>(
  tx: object,
  sent: Promise<readonly T[]>,
  keyOf: (row: T) => string,
): Promise<readonly T[]> {
  const rows = rowsIn(tx)
  const age = rows?.age
  const returned = await sent
  if (rows?.age === age) for (const row of returned) rows?.byKey.set(keyOf(row), row)
  return returned
}
