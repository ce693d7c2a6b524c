import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely'

/** Column types that mean the same on both databases. */
export interface Schema {
  readonly db: Kysely<unknown>
  readonly dialect: 'sqlite' | 'postgres'
}

type Table = CreateTableBuilder<string, string>
type Define = (table: TableMaker) => TableMaker

/** A small vocabulary over Kysely's table builder: ids, texts, flags, times and numbers that serve both databases. */
class TableMaker {
  #table: Table
  readonly #schema: Schema
  readonly #name: string

  constructor(schema: Schema, name: string) {
    this.#schema = schema
    this.#name = name
    this.#table = schema.db.schema.createTable(name) as Table
  }

  /** The primary key: counts up and is never used again. */
  id(): this {
    const { dialect } = this.#schema
    this.#table = this.#table.addColumn('id', dialect === 'sqlite' ? 'integer' : 'bigint', (c) =>
      dialect === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey().generatedByDefaultAsIdentity(),
    )
    return this
  }

  /** A 64-bit number: a time in epoch milliseconds, a count, a size in bytes. */
  number(name: string, initial?: number): this {
    return this.#column(name, 'bigint', initial)
  }

  flag(name: string, initial: 0 | 1 = 0): this {
    return this.#column(name, 'integer', initial)
  }

  text(name: string, initial?: string): this {
    return this.#column(name, 'text', initial)
  }

  /** The id of a row in `table`; rows that refer go when it goes. */
  reference(name: string, table: string): this {
    this.#table = this.#table.addColumn(name, 'bigint', (c) =>
      c.notNull().references(`${table}.id`).onDelete('cascade'),
    )
    return this
  }

  /** As reference, for rows that may belong to nobody. */
  optionalReference(name: string, table: string): this {
    this.#table = this.#table.addColumn(name, 'bigint', (c) => c.references(`${table}.id`).onDelete('cascade'))
    return this
  }

  primaryKey(...columns: string[]): this {
    this.#table = this.#table.addPrimaryKeyConstraint(`${this.#name}_pk`, columns as never[])
    return this
  }

  async create(): Promise<void> {
    await this.#table.execute()
  }

  #column(name: string, type: 'bigint' | 'integer' | 'text', initial?: number | string): this {
    const typed = type === 'text' ? textOf(this.#schema) : type
    this.#table = this.#table.addColumn(name, typed, (c: ColumnDefinitionBuilder) =>
      initial === undefined ? c.notNull() : c.notNull().defaultTo(initial),
    )
    return this
  }
}

/** Sorted by bytes and lowered in ASCII alone, as SQLite does, whatever the locale of the PostgreSQL database. */
const textOf = ({ dialect }: Schema) => (dialect === 'postgres' ? sql`text collate "C"` : 'text')

export async function createTable(schema: Schema, name: string, define: Define): Promise<void> {
  await define(new TableMaker(schema, name)).create()
}

/** Index `<table>_<columns>_key` (unique) or `_idx`. */
export async function createIndex(
  schema: Schema,
  table: string,
  columns: string[],
  options: { unique?: boolean } = {},
): Promise<void> {
  const name = `${table}_${columns.join('_')}_${options.unique ? 'key' : 'idx'}`
  const index = schema.db.schema.createIndex(name).on(table).columns(columns)
  await (options.unique ? index.unique() : index).execute()
}

interface NewColumn {
  readonly name: string
  readonly type: 'number' | 'flag' | 'text'
  readonly initial: number | string
}

export async function addColumn(schema: Schema, table: string, { name, type, initial }: NewColumn): Promise<void> {
  const column = type === 'text' ? textOf(schema) : type === 'flag' ? 'integer' : 'bigint'
  await schema.db.schema
    .alterTable(table)
    .addColumn(name, column, (c) => c.notNull().defaultTo(initial))
    .execute()
}
