import type Sqlite from 'better-sqlite3'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { LRUCache } from 'lru-cache'
import { isBusy, retryBusy } from './sqlite-busy.ts'

const STATEMENTS = 500

/** Statements of one handle, each prepared once. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: Sqlite.Database
  readonly #busyDeadlineMs: number
  readonly #statements = new LRUCache<string, Sqlite.Statement>({ max: STATEMENTS })

  constructor(database: Sqlite.Database, busyDeadlineMs: number) {
    this.#database = database
    this.#busyDeadlineMs = busyDeadlineMs
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return this.#run(query)
    } catch (error) {
      if (!isBusy(error)) throw error
      return this.executeBefore(performance.now() + this.#busyDeadlineMs, query)
    }
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
