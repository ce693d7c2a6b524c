import type { AliasedRawBuilder, Kysely, SelectQueryBuilder } from 'kysely'

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
  close(): Promise<void>
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
  /** A text that changes with every commit, by any process: equal ones have none between them. */
  moment<T>(connections: Connections<T>): Promise<string>
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
