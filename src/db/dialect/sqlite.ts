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
import { KeyedMutex } from '../../platform/concurrency/keyed-mutex.ts'
import { denyOthers, makeDirectory, makePrivateFile } from '../../platform/files/private.ts'
import type { DatabaseDialect } from './dialect.ts'
import { isBusy, retryBusy } from './sqlite-busy.ts'

/** How long a statement waits for another process that has locked the file. */
const BUSY_DEADLINE_MS = 10_000
const STATEMENTS = 500

/** An SQLite file: WAL, every commit synced to disk, one writing connection, one reading connection. */
export function sqliteDialect(file: string, busyDeadlineMs = BUSY_DEADLINE_MS): DatabaseDialect {
  return {
    name: 'sqlite',
    chunkSize: 500,
    connect<T>() {
      makeDirectory(dirname(file))
      makePrivateFile(file)
      // NOTE: SQLite makes them with the mode of the file; those of an earlier start have the mode that it had then.
      for (const beside of [`${file}-wal`, `${file}-shm`]) denyOthers(beside)
      const writer = openFile(file, false)
      const reader = openFile(file, true)
      const read = new Kysely<T>({ dialect: kyselyDialect(reader, { isWriter: false, busyDeadlineMs }) })
      const write = new Kysely<T>({ dialect: kyselyDialect(writer, { isWriter: true, busyDeadlineMs }) })
      return {
        read,
        write,
        noTimeout: write,
        version: versionOf(reader),
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
    moment: async ({ version }) => String(version!()),
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
  const database = new Sqlite(file, { readonly, timeout: BUSY_DEADLINE_MS })
  if (!readonly) {
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
  }
  database.pragma('cache_size = -16000')
  database.pragma('temp_store = MEMORY')
  // NOTE: only opening waits on this thread; later statements wait without it (retryBusy).
  database.pragma('busy_timeout = 0')
  return database
}

/** NOTE: `data_version` of a connection counts the commits of all others, and this one never writes. */
function versionOf(reader: Sqlite.Database): () => number {
  const statement = reader.prepare<[], number>('pragma data_version').pluck()
  return () => {
    try {
      return statement.get()!
    } catch (error) {
      if (isBusy(error)) return NaN
      throw error
    }
  }
}

interface ConnectionOptions {
  /** Its transactions take turns. */
  readonly isWriter: boolean
  readonly busyDeadlineMs: number
}

function kyselyDialect(database: Sqlite.Database, options: ConnectionOptions): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new SqliteDriver(database, options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  }
}

/** NOTE: without this Kysely runs one query at a time, and waiting readers would wait for each other. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
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

/**
 * NOTE: the reading connection is never reserved: each query runs to its end without yielding, so readers need no turn.
 */
class SqliteDriver implements Driver {
  readonly #database: Sqlite.Database
  readonly #connection: SqliteConnection
  readonly #turns: KeyedMutex | undefined
  readonly #busyDeadlineMs: number
  #release: (() => void) | undefined
  /** When the transaction that has the turn gives up waiting for other processes. */
  #beginDeadline = 0

  constructor(database: Sqlite.Database, { isWriter, busyDeadlineMs }: ConnectionOptions) {
    this.#database = database
    this.#connection = new SqliteConnection(database, busyDeadlineMs)
    this.#turns = isWriter ? new KeyedMutex() : undefined
    this.#busyDeadlineMs = busyDeadlineMs
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#turns) {
      // NOTE: counted from here, so that transactions that waited for their turn together give up together.
      const deadline = performance.now() + this.#busyDeadlineMs
      const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
      const { promise: done, resolve: end } = Promise.withResolvers<void>()
      void this.#turns.run('writer', () => (begin(), done))
      await turn
      this.#release = end
      this.#beginDeadline = deadline
    }
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#release?.()
  }

  async beginTransaction(): Promise<void> {
    await this.#connection.executeBefore(this.#beginDeadline, CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: Sqlite.Database
  readonly #busyDeadlineMs: number
  readonly #statements = new LRUCache<string, Sqlite.Statement>({ max: STATEMENTS })

  constructor(database: Sqlite.Database, busyDeadlineMs: number) {
    this.#database = database
    this.#busyDeadlineMs = busyDeadlineMs
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.executeBefore(performance.now() + this.#busyDeadlineMs, query)
  }

  executeBefore<R>(deadline: number, query: CompiledQuery): Promise<QueryResult<R>> {
    return retryBusy(() => this.#run(query), deadline)
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
