import type pg from 'pg'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { engineErrors, invalid } from '../../platform/errors.ts'
import { isDefined } from '../prepared-statement.ts'

const INVALID_TEXT = '22021'
const QUERY_CANCELED = '57014'
/**
 * The server shuts down, starts, is a standby or has no connection left (class 08, 57P and 53300), or a system error
 * for an unreachable server.
 */
const LOST = /^(08...|57P0.|53300|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/
/** Driver errors without a code. */
const LOST_WORDS =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout)/
const NOT_SUPPORTED = '0A000'
const CHANGED_RESULT = /cached plan must not change result type/

/**
 * Converts errors that are not bugs of this program: bad input (PostgreSQL stores no NUL), a server that is lost or too
 * slow.
 */
export function explain(error: unknown): never {
  const code = codeOf(error)
  if (code === INVALID_TEXT) throw invalid('[]: a text has a NUL character')
  if (code === QUERY_CANCELED) throw engineErrors.databaseTooSlow().causedBy(error)
  if (isLost(error)) throw engineErrors.databaseUnreachable().causedBy(error)
  throw error
}

/** True if the connection or its server is lost. */
export const isLost = (error: unknown): boolean =>
  LOST.test(codeOf(error)) || (error instanceof Error && LOST_WORDS.test(error.message))

/** The error code of PostgreSQL or the system; an attempt at several addresses fails with one error for each. */
export function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  return (first as { code?: string } | undefined)?.code ?? ''
}

/** A migration by another process changed a table from which a prepared statement selects all columns. */
export const isChangedResult = (error: unknown): boolean =>
  codeOf(error) === NOT_SUPPORTED && error instanceof Error && CHANGED_RESULT.test(error.message)

/** The same error, for a pooler that has prepared the statement again on another connection. */
export const changedResult = (): Error =>
  Object.assign(new Error('cached plan must not change result type'), { code: NOT_SUPPORTED })

/** A client in pipeline mode. */
export type ReadClient = pg.Client & {
  /** True from the first query that failed because of it; the driver reports the end later. */
  readonly isLost: boolean
  read(text: string, values: readonly unknown[]): Promise<readonly unknown[]>
}

/** A connection in pipeline mode, which sends a query without waiting for earlier answers. */
interface Pipeline {
  readonly client: ReadClient
  readonly connected: Promise<unknown>
  waiting: number
}

/** Look-ups that one connection gets at once. */
const MAX_TOGETHER = 8

/**
 * Reads outside of transactions. They share a few connections and never wait for a free one: a query goes to the
 * connection with the fewest unanswered queries. Look-ups of one turn of the event loop, most often of one request, go
 * to one connection together: waking it costs more than most of them. A lost connection fails its queries and is
 * replaced by the next query.
 */
export class PostgresReads implements Driver {
  readonly #pipelines = new Set<Pipeline>()
  readonly #open: () => ReadClient
  readonly #max: number
  readonly #connection: DatabaseConnection
  /** The connection that the look-ups of this turn share, and how many more it gets. */
  #together: { readonly pipeline: Pipeline; left: number } | undefined

  constructor(open: () => ReadClient, max: number) {
    this.#open = open
    this.#max = max
    this.#connection = {
      executeQuery: (query) => this.#executeAgain(query),
      // eslint-disable-next-line require-yield
      async *streamQuery() {
        throw new Error('rows are read in pages, not streamed')
      },
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('a transaction needs a connection of its own')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    const pipelines = [...this.#pipelines]
    this.#pipelines.clear()
    await Promise.all(pipelines.map(({ client }) => client.end()))
  }

  /** Executes again with a new statement if a migration changed the columns of the prepared one. */
  async #executeAgain<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#execute(query)
    } catch (error) {
      if (!isChangedResult(error)) throw error
      return this.#execute(query)
    }
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql: text, parameters } = query
    const pipeline = isDefined(query) ? this.#chooseTogether() : this.#choose()
    pipeline.waiting++
    try {
      await pipeline.connected
      return { rows: (await pipeline.client.read(text, parameters)) as R[] }
    } finally {
      pipeline.waiting--
      if (pipeline.client.isLost) this.#pipelines.delete(pipeline)
    }
  }

  #chooseTogether(): Pipeline {
    if (this.#together === undefined) process.nextTick(() => (this.#together = undefined))
    else if (this.#together.left > 0 && this.#pipelines.has(this.#together.pipeline)) {
      this.#together.left--
      return this.#together.pipeline
    }
    this.#together = { pipeline: this.#choose(), left: MAX_TOGETHER - 1 }
    return this.#together.pipeline
  }

  #choose(): Pipeline {
    let chosen: Pipeline | undefined
    for (const pipeline of this.#pipelines) {
      if (pipeline.waiting === 0) return pipeline
      if (chosen === undefined || pipeline.waiting < chosen.waiting) chosen = pipeline
    }
    return chosen === undefined || this.#pipelines.size < this.#max ? this.#connect() : chosen
  }

  #connect(): Pipeline {
    const client = this.#open()
    const pipeline: Pipeline = { client, connected: client.connect().catch(explain), waiting: 0 }
    const lose = (): void => void this.#pipelines.delete(pipeline)
    pipeline.connected.catch(lose)
    client.once('error', lose)
    client.once('end', lose)
    this.#pipelines.add(pipeline)
    return pipeline
  }
}
