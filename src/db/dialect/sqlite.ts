import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
  sql,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
  type QueryResult,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import { unavailable } from '../../platform/errors.ts'
import { KeyedMutex } from '../../platform/keyed-mutex.ts'
import type { DatabaseDialect } from './dialect.ts'

const BUSY_TIMEOUT_MS = 10_000
const STATEMENTS = 500

/** An SQLite file: WAL, every commit synced to disk, one writing connection, one reading connection. */
export function sqliteDialect(file: string): DatabaseDialect {
  return {
    name: 'sqlite',
    chunkSize: 500,
    connect<T>() {
      mkdirSync(dirname(file), { recursive: true })
      const writer = openFile(file, false)
      const reader = openFile(file, true)
      const read = new Kysely<T>({ dialect: kyselyDialect(reader, false) })
      const write = new Kysely<T>({ dialect: kyselyDialect(writer, true) })
      return {
        read,
        write,
        noTimeout: write,
        close: async () => {
          await read.destroy()
          await write.destroy()
          // NOTE: Kysely ends only drivers it has used; the last handle that closes folds the WAL into the file.
          reader.close()
          writer.close()
        },
      }
    },
    isUniqueViolation: (error) =>
      error instanceof Sqlite.SqliteError &&
      (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'),
    // NOTE: transactions take turns from their first statement on, so that none can lose.
    isLostRace: () => false,
    isMissingReference: (error) => error instanceof Sqlite.SqliteError && error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY',
    lockRows: (query) => query,
    lockToDelete: (query) => query,
    lockFreeRows: (query) => query,
    async moment({ read }) {
      const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(read)
      return String(rows[0]!.data_version)
    },
    async checkIntegrity({ read }) {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(read)
      const found = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
      const orphans = await sql<{ table: string }>`pragma foreign_key_check`.execute(read)
      if (orphans.rows.length > 0)
        found.push(
          `${orphans.rows.length} rows of ${[...new Set(orphans.rows.map((row) => row.table))].join(', ')} refer to rows that are gone`,
        )
      if (found.length > 0) throw new Error(`database file ${file} is damaged: ${found.slice(0, 5).join('; ')}`)
    },
    async copyTo({ read }, copy) {
      await sql`vacuum into ${copy}`.execute(read)
      return true
    },
  }
}

function openFile(file: string, readonly: boolean): Sqlite.Database {
  const database = new Sqlite(file, { readonly, timeout: BUSY_TIMEOUT_MS })
  if (!readonly) {
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
  }
  database.pragma('cache_size = -16000')
  database.pragma('temp_store = MEMORY')
  return database
}

function kyselyDialect(database: Sqlite.Database, exclusive: boolean): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(database, exclusive),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  }
}

/**
 * NOTE: SQLite plans a statement anew whenever a parameter that it could plan by is bound again: one that stands in a
 * join, a prefix of `like`, a limit. Planning takes longer than most runs, so limits are written out, and parameters
 * stand behind a plus, which does nothing but hide them from the planner.
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) return super.visitLimit(node)
    this.append(`limit ${Number(limit.value)}`)
  }
}

/** NOTE: the reading connection is never held: each query runs to its end without yielding, so readers need no turn. */
class SqliteDriver implements Driver {
  readonly #database: Sqlite.Database
  readonly #connection: SqliteConnection
  readonly #turns: KeyedMutex | undefined
  #release: (() => void) | undefined

  constructor(database: Sqlite.Database, exclusive: boolean) {
    this.#database = database
    this.#connection = new SqliteConnection(database)
    this.#turns = exclusive ? new KeyedMutex() : undefined
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#turns) {
      const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
      const { promise: done, resolve: end } = Promise.withResolvers<void>()
      void this.#turns.run('writer', () => (begin(), done))
      await turn
      this.#release = end
    }
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#release?.()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {}
}

/** Another process, such as a command, has held the file for longer than the busy timeout. */
const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

class SqliteConnection implements DatabaseConnection {
  readonly #database: Sqlite.Database
  readonly #statements = new LRUCache<string, Sqlite.Statement>({ max: STATEMENTS })

  constructor(database: Sqlite.Database) {
    this.#database = database
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return this.#run(query)
    } catch (error) {
      throw isBusy(error) ? unavailable('the database is busy', error) : error
    }
  }

  #run<R>({ sql: text, parameters }: CompiledQuery): QueryResult<R> {
    const statement = this.#prepare(text)
    if (statement.reader) return { rows: statement.all(...parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, not streamed')
  }

  #prepare(text: string): Sqlite.Statement {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }
}
