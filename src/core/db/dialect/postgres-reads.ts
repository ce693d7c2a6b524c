import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type pg from 'pg'
import { explain, isChangedResult } from './postgres-errors.ts'

/** One in pipeline mode. */
export type ReadClient = pg.Client & {
  /** True from the first query that failed because of it; the driver reports the end only later. */
  readonly isLost: boolean
}

/** A connection in pipeline mode, which sends a query without waiting for the answers to those before it. */
interface Lane {
  readonly client: ReadClient
  readonly connected: Promise<unknown>
  waiting: number
}

/**
 * Reads outside of transactions. They share few connections and never wait for a free one: a query goes to the
 * connection with the fewest unanswered ones. A connection that is lost fails its queries and is replaced by the next.
 */
export class PostgresReads implements Driver {
  readonly #lanes = new Set<Lane>()
  readonly #open: () => ReadClient
  readonly #max: number
  readonly #connection: DatabaseConnection

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
    const lanes = [...this.#lanes]
    this.#lanes.clear()
    await Promise.all(lanes.map(({ client }) => client.end()))
  }

  /** Once more with a new statement where a migration changed the columns that the prepared one gives. */
  async #executeAgain<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#execute(query)
    } catch (error) {
      if (!isChangedResult(error)) throw error
      return this.#execute(query)
    }
  }

  async #execute<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const lane = this.#choose()
    lane.waiting++
    try {
      await lane.connected
      const { rows } = await lane.client.query(text, parameters as unknown[])
      return { rows: rows as R[] }
    } finally {
      lane.waiting--
      if (lane.client.isLost) this.#lanes.delete(lane)
    }
  }

  #choose(): Lane {
    let chosen: Lane | undefined
    for (const lane of this.#lanes) {
      if (lane.waiting === 0) return lane
      if (chosen === undefined || lane.waiting < chosen.waiting) chosen = lane
    }
    return chosen === undefined || this.#lanes.size < this.#max ? this.#connect() : chosen
  }

  #connect(): Lane {
    const client = this.#open()
    const lane: Lane = { client, connected: client.connect().catch(explain), waiting: 0 }
    const lose = (): void => void this.#lanes.delete(lane)
    lane.connected.catch(lose)
    client.once('error', lose)
    client.once('end', lose)
    this.#lanes.add(lane)
    return lane
  }
}
