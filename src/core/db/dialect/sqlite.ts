import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import {
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
  DefaultQueryExecutor,
  sql,
  type CompiledQuery,
  type KyselyPlugin,
  type QueryResult,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
} from 'kysely'
import type { SharedLocks } from '../../platform/concurrency/lock-table.ts'
import { denyOthers, makeDirectory, makePrivateFile } from '../../platform/files/private.ts'
import type { Cascade, Connections, DatabaseDialect, JsonColumns, SideConnections, SideSchema } from './dialect.ts'
import { ReadTransaction, SqliteConnection, WalSync, WriterQueue } from './sqlite-connection.ts'
import { Checkpoints } from './sqlite-checkpoints.ts'
import { SqliteLog } from './sqlite-log.ts'
import { prepareSideFile, SideDriver } from './sqlite-side.ts'
import { WritingDriver } from './sqlite-writer.ts'

const BUSY_DEADLINE_MS = 10_000

/** Number of pages in the log at which it is written into the database: 16 MB. */
const CHECKPOINT_FRAMES = 4000
const PAGE_BYTES = 4096

export interface SqliteOptions {
  /** How long a statement waits for another process that has locked the file. */
  readonly busyDeadlineMs?: number
  /**
   * Commits leave the log alone: only `DatabaseLog.checkpoint` writes it into the file, or the last process that closes
   * it.
   */
  readonly keepLog?: boolean
  /** Number of pages in the log at which it is written into the database. */
  readonly checkpointFrames?: number
  /** Locks among the processes of one server, which queue for writing. */
  readonly locks?: SharedLocks | undefined
}

/**
 * An SQLite file with WAL, one writing and one reading connection. Transactions are answered when they are on the disk.
 */
export function sqliteDialect(file: string, options: SqliteOptions = {}): DatabaseDialect {
  return {
    name: 'sqlite',
    hasOneWriter: true,
    chunkSize: 500,
    connect: <T>() => connect<T>(file, options),
    isUniqueViolation: (error) =>
      error instanceof Sqlite.SqliteError &&
      (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'),
    // NOTE: transactions queue from their first statement on, so none can lose a race.
    isRetryable: () => false,
    isMissingReference: (error) => error instanceof Sqlite.SqliteError && error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY',
    lockRows: (query) => query,
    lockToDelete: (query) => query,
    lockFreeRows: (query) => query,
    jsonRows<Row>(json: string, columns: JsonColumns<Row>) {
      const members = Object.keys(columns).map(
        (name) => sql`json_extract(value, ${sql.lit(`$.${name}`)}) as ${sql.id(name)}`,
      )
      return sql<Row>`(select ${sql.join(members)} from json_each(${json}))`.as('rows')
    },
    checkEach: (join) => join,
    rowAddress: 'rowid',
    async listCascades(db) {
      const { rows } = await sql<Cascade>`select m.name as "table", f."from" as "column", f."table" as parent
        from sqlite_master as m join pragma_foreign_key_list(m.name) as f
        where m.type = 'table' and f.on_delete = 'CASCADE' and f."to" = 'id' order by 1, 2`.execute(db)
      return rows
    },
    async now({ read }) {
      const { rows } = await sql<{ ms: number }>`select cast(unixepoch('subsec') * 1000 as integer) as ms`.execute(read)
      return rows[0]!.ms
    },
    openSide: async (_, schema) => openSide(file, schema),
    snapshot: async ({ version }) => String(version!()),
    openTransactions: async () => undefined,
    async checkIntegrity({ read }) {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(read)
      const found = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
      const orphans = await sql<{ table: string }>`pragma foreign_key_check`.execute(read)
      if (orphans.rows.length > 0)
        found.push(
          `${orphans.rows.length} rows of ${[...new Set(orphans.rows.map((row) => row.table))].join(', ')} refer to rows that do not exist`,
        )
      if (found.length > 0) throw new Error(`database file ${file} is damaged: ${found.slice(0, 5).join('; ')}`)
    },
    async copyTo({ read }, copy) {
      await sql`vacuum into ${copy}`.execute(read)
      return true
    },
  }
}

function connect<T>(
  file: string,
  { busyDeadlineMs = BUSY_DEADLINE_MS, keepLog = false, checkpointFrames = CHECKPOINT_FRAMES, locks }: SqliteOptions,
): Connections<T> {
  makeDirectory(dirname(file))
  makePrivateFile(file)
  // NOTE: SQLite creates them with the mode of the database file; existing ones keep their mode.
  for (const beside of [`${file}-wal`, `${file}-shm`]) denyOthers(beside)
  const writer = openFile(file, false)
  const reader = openFile(file, true)
  // NOTE: a fallback in case the checkpoint thread fails.
  writer.pragma(`wal_autocheckpoint = ${keepLog ? 0 : 4 * checkpointFrames}`)
  if (!keepLog) writer.pragma(`journal_size_limit = ${4 * checkpointFrames * PAGE_BYTES}`)
  const wal = new WalSync(file)
  const turns = new WriterQueue(locks)
  const reads = new ReadTransaction(reader)
  const driver = new WritingDriver(writer, {
    wal,
    turns,
    busyDeadlineMs,
    beforeWrite: reads.end,
    onCommit: () => checkpoints?.noteCommit(),
  })
  const runAlone = <R>(work: () => R | Promise<R>): Promise<R> => driver.runAlone(work)
  const log = new SqliteLog(file, { runAlone, open: openFile })
  const checkpoints = keepLog
    ? undefined
    : new Checkpoints({ file, limit: checkpointFrames, length: () => log.length(), runAlone })
  const read = createReader<T>(new SqliteConnection(reader, busyDeadlineMs, reads.beforeRead), () => {
    reads.end()
    reader.close()
  })
  const write = new Kysely<T>({ dialect: kyselyDialect(() => driver) })
  return {
    read,
    write,
    noTimeout: write,
    version: () => reads.version(),
    log,
    close: async () => {
      await read.destroy()
      await write.destroy()
      await checkpoints?.close()
      await wal.close()
      log.close()
      // NOTE: Kysely ends only drivers it has used; the last handle to close writes the WAL into the file.
      writer.close()
      log.closeFiles()
    },
  }
}

function openSide<T>(main: string, schema: SideSchema): SideConnections<T> {
  const side = join(dirname(main), schema.name)
  prepareSideFile(side, schema)
  const read = new Kysely<T>({ dialect: kyselyDialect(() => new SideDriver({ side, main })) })
  const write = new Kysely<T>({ dialect: kyselyDialect(() => new SideDriver({ side, main: undefined })) })
  return { read, write, close: async () => void (await Promise.all([read.destroy(), write.destroy()])) }
}

function openFile(file: string, readonly: boolean): Sqlite.Database {
  const database = new Sqlite(file, { readonly, timeout: BUSY_DEADLINE_MS })
  if (!readonly) {
    database.pragma('journal_mode = WAL')
    // NOTE: the writing driver does what FULL adds: it syncs the log before a commit is answered.
    database.pragma('synchronous = NORMAL')
    database.pragma('foreign_keys = ON')
  }
  database.pragma('cache_size = -16000')
  database.pragma('temp_store = MEMORY')
  // NOTE: only opening blocks this thread; later statements wait without blocking (retryBusy).
  database.pragma('busy_timeout = 0')
  return database
}

function kyselyDialect(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  }
}

class Adapter extends SqliteAdapter {
  /** NOTE: otherwise Kysely would run one query at a time, and waiting readers would wait for each other. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /** A migration is applied completely or not at all, whenever the process is killed. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/**
 * NOTE: SQLite plans a statement again whenever a parameter that it could plan by is bound: one in a join, a prefix of
 * `like`, a limit. Planning takes longer than most executions, so limits are written out, and parameters get a unary
 * plus, which only hides them from the planner.
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
 * Runs each query on the one connection at once. NOTE: it is never reserved, since each query runs to its end without
 * yielding, and no plugin changes results: Kysely's code for both would take longer than most queries.
 */
class ReadingExecutor extends DefaultQueryExecutor {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection, plugins: KyselyPlugin[] = []) {
    super(new QueryCompiler(), new Adapter(), { provideConnection: (use) => use(connection) }, plugins)
    this.#connection = connection
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.provideConnection((connection) => connection.executeQuery<R>(query))
  }

  override withPlugin(plugin: KyselyPlugin): ReadingExecutor {
    return new ReadingExecutor(this.#connection, [...this.plugins, plugin])
  }
}

function createReader<T>(connection: SqliteConnection, close: () => void): Kysely<T> {
  const driver = new ReadingDriver(connection, close)
  const dialect = kyselyDialect(() => driver)
  return new Kysely<T>({
    config: { dialect },
    dialect,
    driver,
    executor: new ReadingExecutor(connection),
  })
}

/** NOTE: never reserved: each query runs to its end without yielding, so readers need no queue. */
class ReadingDriver implements Driver {
  readonly #connection: SqliteConnection
  readonly #close: () => void

  constructor(connection: SqliteConnection, close: () => void) {
    this.#connection = connection
    this.#close = close
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection)
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(): Promise<void> {
    throw new Error('the reading connection has no transactions')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#close()
  }
}
