import type { AliasedRawBuilder, Kysely, RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely'

/** Kysely over the tables `T`, and the one place where the two databases differ. */
export interface Connections<T> {
  /** Never waits for a writer and never writes. */
  readonly read: Kysely<T>
  /** Transactions only. On SQLite they take turns on one connection. */
  readonly write: Kysely<T>
  /** For migrations: statements may take as long as they do. */
  readonly noTimeout: Kysely<T>
  /**
   * A number that changes with every commit of any process. Undefined where asking for it costs as much as a look-up,
   * as it does over a connection to a server.
   */
  readonly version: (() => number) | undefined
  /** SQLite: what a continuous copy of the database reads. Undefined where the database has tools of its own. */
  readonly log: DatabaseLog | undefined
  close(): Promise<void>
}

/** The committed part of the write-ahead log (https://www.sqlite.org/walformat.html). */
export interface LogState {
  /** Changes when the log begins anew: 8 bytes in hex, of which the first 4 count up. */
  readonly salt: string
  /** Committed frames. */
  readonly frames: number
  /** Checksum of the last of them, 8 bytes in hex. */
  readonly sum: string
  /** Bytes of a page. */
  readonly pageSize: number
}

/** One page as a transaction wrote it. */
export interface LogFrame {
  /** From 1. */
  readonly page: number
  /** Pages of the database after the transaction, in its last frame; else 0. */
  readonly pagesAfter: number
  readonly salt: string
  readonly sum: string
  readonly data: Buffer
}

/** The database as a file that stays as it is while the log grows. */
export interface HeldDatabase {
  /** Bytes. */
  readonly size: number
  /** From the beginning to the end. */
  read(): AsyncIterable<Buffer>
  release(): void
}

/** The write-ahead log of an SQLite database and the file that it goes into. */
export interface DatabaseLog {
  /** Undefined while there is no log, or while another process just changes it. */
  state(): LogState | undefined
  /** Some of the frames from number `from` (the first is 1) to `to`: at least one, at most 4 MB. */
  frames(from: number, to: number, pageSize: number): LogFrame[]
  /**
   * Calls `before` while no process can write and, unless it returns false, writes the log into the database: all of
   * it, so that the next commit begins a new log, or less while a reader needs an older state. Gives the frames that
   * the log had when all of it was written, else undefined. With `hold` the database file does not change until it is
   * released.
   */
  checkpoint(before: () => boolean, hold?: (held: HeldDatabase) => void): Promise<number | undefined>
}

/** Numbers of transactions, which grow. */
export interface OpenTransactions {
  /** The first that has not ended; `next` when all have. */
  readonly oldest: bigint
  /** The next that begins. */
  readonly next: bigint
}

export type JsonColumns<Row> = { readonly [Column in keyof Row]: 'bigint' | 'text' }

/** A foreign key to the `id` of `parent` with `on delete cascade`. */
export interface Cascade {
  readonly table: string
  readonly column: string
  readonly parent: string
}

export interface DatabaseDialect {
  readonly name: 'sqlite' | 'postgres'
  connect<T>(): Connections<T>
  /** While a transaction writes, no other one does. */
  readonly hasOneWriter: boolean
  /** Most values of one `in (...)` list or one insert. */
  readonly chunkSize: number
  /** True when an insert or update broke a unique index, so that a service can answer "exists". */
  isUniqueViolation(error: unknown): boolean
  /** True when the database rolled a transaction back that is likely to go through when it is run once more. */
  isLostRace(error: unknown): boolean
  /**
   * True when a row was to refer to one that is not there: another transaction deleted it while the transaction ran.
   */
  isMissingReference(error: unknown): boolean
  /** Locks the selected rows until the transaction ends. SQLite has one writer and needs nothing. */
  lockRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** As lockRows, for rows that will be deleted: nothing that refers to them can be added either. */
  lockToDelete<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /** As lockRows, skipping rows that another transaction has locked. */
  lockFreeRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O>
  /**
   * The members of a JSON array of objects as a table named `rows`, so that a statement on many rows has one text and
   * one parameter.
   */
  jsonRows<Row>(json: string, columns: JsonColumns<Row>): AliasedRawBuilder<Row, 'rows'>
  /**
   * Whether a column is one of some numbers, at least one. The plan is the same for every length, so that PostgreSQL
   * keeps it: for an ordinary list that it does not see it expects ten values, and plans shorter ones anew each time.
   */
  isOneOf(column: string, numbers: readonly number[]): RawBuilder<SqlBool>
  /** Wall-clock milliseconds of the database, which are the same for all that use it. */
  now<T>(connections: Connections<T>): Promise<number>
  /** A text that changes with every commit, by any process: equal ones have none between them. */
  snapshot<T>(connections: Connections<T>): Promise<string>
  /** The column that every table has, by which one row is found. */
  readonly rowAddress: string
  listCascades<T>(db: Kysely<T>): Promise<Cascade[]>
  /**
   * Which transactions may still commit, for readers that follow a table by its ids; undefined where ids become visible
   * in their order, because writers take turns.
   */
  openTransactions<T>(connections: Connections<T>): Promise<OpenTransactions | undefined>
  /** Throws when the database is damaged; the text says where. */
  checkIntegrity<T>(connections: Connections<T>): Promise<void>
  /**
   * Writes a consistent copy of the database into a new file; false where the database is a server with tools of its
   * own.
   */
  copyTo<T>(connections: Connections<T>, file: string): Promise<boolean>
}
