import pg from 'pg'
import { changedResult } from './postgres-reads.ts'

type Row = Record<string, unknown>
type Texts = readonly (string | null)[]

/** The connection to which the driver writes. */
interface Connection {
  describe(...what: never[]): void
}

type Answer = (error: Error | undefined, rows: readonly unknown[]) => void

interface Statement {
  readonly name: string | undefined
  readonly text: string
  readonly values: readonly unknown[]
}

/** The part of the driver's class that it calls and that its types do not declare. */
const DriverQuery = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
) => {
  name: string | undefined
  callback: Answer
  submit(connection: Connection): Error | null
}

class Columns {
  readonly #names: readonly string[]
  readonly #parsers: readonly ((text: string) => unknown)[]
  readonly #empty: Row

  constructor(fields: readonly pg.FieldDef[], types: pg.CustomTypesConfig) {
    this.#names = fields.map(({ name }) => name)
    this.#parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'))
    this.#empty = Object.fromEntries(this.#names.map((name) => [name, null]))
  }

  /** Undefined for a row of other columns. */
  rowOf(texts: Texts): Row | undefined {
    if (texts.length !== this.#names.length) return undefined
    const row = { ...this.#empty }
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i]
      if (text != null) row[this.#names[i]!] = this.#parsers[i]!(text)
    }
    return row
  }
}

/** The columns of the statements that one connection has prepared; PostgreSQL refuses to execute one with others. */
export class KnownColumns {
  readonly byName = new Map<string, Columns>()
  readonly types: pg.CustomTypesConfig
  #undescribed: Connection | undefined

  constructor(types: pg.CustomTypesConfig) {
    this.types = types
  }

  /** The connection, over which statements are executed without asking for their columns. */
  undescribed(connection: Connection): Connection {
    return (this.#undescribed ??= Object.create(connection, { describe: { value: () => {} } }) as Connection)
  }
}

/**
 * A read, by a prepared statement if it has a name. PostgreSQL describes the columns of one at its first execution on a
 * connection only, because a description costs both sides more than a row.
 */
export class PostgresRead extends DriverQuery {
  readonly #known: KnownColumns
  readonly #rows: (Row | undefined)[] = []
  #columns: Columns | undefined

  constructor(known: KnownColumns, { name, text, values }: Statement, callback: Answer) {
    super(text, values)
    this.name = name
    this.callback = callback
    this.#known = known
  }

  override submit(connection: Connection): Error | null {
    this.#columns = this.name === undefined ? undefined : this.#known.byName.get(this.name)
    return super.submit(this.#columns === undefined ? connection : this.#known.undescribed(connection))
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#columns = new Columns(fields, this.#known.types)
    if (this.name !== undefined) this.#known.byName.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { readonly fields: Texts }): void {
    this.#rows.push(this.#columns!.rowOf(fields))
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.#rows[0] === undefined && this.#rows.length > 0 ? changedResult() : undefined, this.#rows)
  }
}
