import type { AliasedRawBuilder, Kysely, RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely'

/** Kysely over the tables `T`. All differences between the two databases are here. */
export interface Connections<T> {
  /** Never waits for a writer and never writes. */
  readonly read: Kysely<T>
  /** Transactions only. On SQLite they run one after the other on one connection. */
  readonly write: Kysely<T>
  /** A connection for migrations, whose statements have no timeout. */
  readonly noTimeout: Kysely<T>
  /**
   * A number that changes with every commit of any process. Undefined where reading it costs as much as a query, as
   * over a connection to a server.
   */
  readonly version: (() => number) | undefined
  /** SQLite only: the log that a continuous backup reads. Other databases have their own tools. */
  readonly log: DatabaseLog | undefined
  close(): Promise<void>
}

/** The committed part of the write-ahead log (https://www.sqlite.org/walformat.html). */
export interface LogState {
  /** Changes when the log restarts: 8 bytes in hex, of which the first 4 count up. */
  readonly salt: string
  /** Committed frames. */
  readonly frames: number
  /** Checksum of the last frame, 8 bytes in hex. */
  readonly sum: string
  /** Page size in bytes. */
  readonly pageSize: number
}

/** One page as a transaction wrote it. */
export interface LogFrame {
  /** Number of the page, from 1. */
  readonly page: number
  /** Pages of the database after the transaction, in the transaction's last frame; otherwise 0. */
  readonly pagesAfter: number
  readonly salt: string
  readonly sum: string
  readonly data: Buffer
}

/** The database as a file that does not change while the log grows. */
export interface HeldDatabase {
  /** Bytes. */
  readonly size: number
  /** Reads from start to end. */
  read(): AsyncIterable<Buffer>
  release(): void
}

/** The write-ahead log of an SQLite database and the file it is written to. */
export interface DatabaseLog {
  /** Undefined if there is no log, or another process is changing it. */
  state(): LogState | undefined
  /** Returns frames number `from` (the first is 1) to `to`: at least one, at most 4 MB. */
  frames(from: number, to: number, pageSize: number): LogFrame[]
  /**
   * Calls `before` while no process can write and, unless it returns false, writes the log into the database: all of
   * it, so that the next commit restarts the log, or less if a reader needs an older state. Returns the number of
   * frames if all of them were written, otherwise undefined. With `hold` the database file does not change until it is
   * released.
   */
  checkpoint(before: () => boolean, hold?: (held: HeldDatabase) => void): Promise<number | undefined>
}

/** Transaction ids, which increase. */
export interface OpenTransactions {
  /** The oldest transaction that has not ended; `next` if all have. */
  readonly oldest: bigint
  /** The id of the next transaction. */
  readonly next: bigint
}

/** Tables, joined by `cross join`, and the condition that joins them to the tables before them. */
export interface Join {
  readonly tables: RawBuilder<unknown>
  readonly condition: RawBuilder<SqlBool>
}

export type JsonColumns<Row> = { readonly [Column in keyof Row]: 'bigint' | 'text' }

/** A foreign key to the `id` of `parent` with `on delete cascade`. */
export interface Cascade {
  readonly table: string
  readonly column: string
  readonly parent: string
}

export interface SideSchema {
  /** The name of the file on SQLite. */
  readonly name: string
  /** Version of the tables on SQLite: a file of another version is replaced by an empty one. */
  readonly version: number
  /** Create the tables of the file on SQLite. */
  readonly statements: readonly string[]
  /** Create, if missing, what the tables need on PostgreSQL; migrations create the tables. */
  readonly postgres: readonly string[]
}

/** See `SideDatabase`. */
export interface SideConnections<T> {
  readonly read: Kysely<T>
  readonly write: Kysely<T>
  close(): Promise<void>
}

export interface DatabaseDialect {
  readonly name: 'sqlite' | 'postgres'
  connect<T>(): Connections<T>
  /** True if only one transaction can write at a time. */
  readonly hasOneWriter: boolean
  /** Maximum values of one `in (...)` list or one insert. */
  readonly chunkSize: number
  /** True if an insert or update violated a unique index, so that a service can report that the name exists. */
  isUniqueViolation(error: unknown): boolean
  /** True if the database rolled a transaction back that will probably succeed when it runs again. */
  isRetryable(error: unknown): boolean
  /** True if a row was to refer to a missing one: another transaction deleted it in the meantime. */
  isMissingReference(error: unknown): boolean
  /** Locks the selected rows until the transaction ends. A no-op on SQLite, which has one writer. */
  lockRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Like lockRows, for rows that will be deleted: also prevents new references to them. */
  lockToDelete<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** Like lockRows, but skips rows that another transaction has locked. */
  lockFreeRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /**
   * The members of a JSON array of objects as a table named `rows`, so that a statement on many rows has the same SQL
   * and one parameter.
   */
  jsonRows<Row>(json: string, columns: JsonColumns<Row>): AliasedRawBuilder<Row, 'rows'>
  /**
   * A join that adds no columns and at most one row: a check of each row, so that rows in the order of an index are
   * read up to the limit only. PostgreSQL would otherwise join all rows and sort them; it checks equal rows once.
   */
  checkEach(join: Join): Join
  /** The database's wall-clock time in milliseconds, which is the same for all its clients. */
  now<T>(connections: Connections<T>): Promise<number>
  openSide<T>(connections: Connections<T>, schema: SideSchema): Promise<SideConnections<T>>
  /** A text that changes with every commit by any process: equal texts have no commit between them. */
  snapshot<T>(connections: Connections<T>): Promise<string>
  /** The column that every table has and that identifies one row. */
  readonly rowAddress: string
  listCascades<T>(db: Kysely<T>): Promise<Cascade[]>
  /**
   * Transactions that may still commit, for readers that follow a table by its ids; undefined where ids become visible
   * in order because there is one writer at a time.
   */
  openTransactions<T>(connections: Connections<T>): Promise<OpenTransactions | undefined>
  /** Throws if the database is damaged; the message says where. */
  checkIntegrity<T>(connections: Connections<T>): Promise<void>
  /**
   * Writes a consistent copy of the database into a new file; returns false for a database server, which has its own
   * tools.
   */
  copyTo<T>(connections: Connections<T>, file: string): Promise<boolean>
}
