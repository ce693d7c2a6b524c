import { Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely'
import pg from 'pg'
import { invalid, unavailable } from '../../platform/errors.ts'
import type { DatabaseDialect } from './dialect.ts'

const INT8 = 20
const NUMERIC = 1700
const UNIQUE_VIOLATION = '23505'
const MISSING_REFERENCE = '23503'
const INVALID_TEXT = '22021'
const QUERY_CANCELED = '57014'
/** serialization_failure and deadlock_detected: nothing of the transaction is left. */
const LOST_RACES = new Set(['40001', '40P01'])
/**
 * The server ends, starts, stands by or has no connection left (class 08, 57P and 53300); the system's words for a
 * server that is not there.
 */
const LOST = /^(08...|57P0.|53300|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/
/** What the driver says without a code. */
const LOST_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/

/** Milliseconds; 0 for no limit. */
export interface PostgresSettings {
  readonly maxConnections: number
  readonly statementTimeoutMs: number
}

const CONNECT_MS = 10_000
/** Beyond the limit of the server itself: for a server that has gone without a word. */
const SILENCE_MS = 5_000

/** A PostgreSQL server; reads and transactions share one pool. One that is lost is found again by the next query. */
export function postgresDialect(
  url: string,
  { maxConnections, statementTimeoutMs }: PostgresSettings,
): DatabaseDialect {
  const base = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
    types: plainNumbers(),
    Client: CalmClient,
  }
  const limits =
    statementTimeoutMs === 0
      ? {}
      : { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + SILENCE_MS }
  return {
    name: 'postgres',
    chunkSize: 5000,
    connect<T>() {
      const open = (config: pg.PoolConfig): Kysely<T> =>
        new Kysely<T>({ dialect: new PostgresDialect({ pool: calmPool(new pg.Pool(config)) }) })
      const both = open({ ...base, ...limits, max: maxConnections })
      const noTimeout = open({ ...base, max: 2, idleTimeoutMillis: 1 })
      return {
        read: both,
        write: both,
        noTimeout,
        close: async () => void (await Promise.all([both.destroy(), noTimeout.destroy()])),
      }
    },
    isLostRace: (error) => LOST_RACES.has(codeOf(error)),
    isUniqueViolation: (error) => codeOf(error) === UNIQUE_VIOLATION,
    isMissingReference: (error) => codeOf(error) === MISSING_REFERENCE,
    // NOTE: rows that refer to a locked one may still be added.
    lockRows: (query) => query.forNoKeyUpdate(),
    lockToDelete: (query) => query.forUpdate(),
    lockFreeRows: (query) => query.forUpdate().skipLocked(),
    // NOTE: a snapshot names the transactions that are over; those that only read take no number and do not change it.
    async moment({ read }) {
      const { rows } = await sql<{ moment: string }>`select pg_current_snapshot()::text as moment`.execute(read)
      return rows[0]!.moment
    },
    async checkIntegrity({ read }) {
      await sql`select 1`.execute(read)
    },
    copyTo: async () => false,
  }
}

/**
 * NOTE: a connection that the server closes emits an error, at rest or in use; without a listener the process would
 * end.
 */
class CalmClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.on('error', () => {})
  }

  override query(...args: unknown[]): never {
    const answer: unknown = Reflect.apply(super.query, this, args)
    return (answer instanceof Promise ? answer.catch(explain) : answer) as never
  }
}

function calmPool(pool: pg.Pool): PostgresPool {
  pool.on('error', () => {})
  return {
    connect: () => pool.connect().catch(explain),
    end: () => pool.end(),
    options: pool.options,
    Client: CalmClient,
  } as unknown as PostgresPool
}

/** What is no fault of this program: bad input (PostgreSQL stores no NUL), a server that is lost or takes too long. */
function explain(error: unknown): never {
  const code = codeOf(error)
  if (code === INVALID_TEXT) throw invalid('[]: a text has a NUL character')
  if (code === QUERY_CANCELED) throw unavailable('the database took too long', error)
  if (LOST.test(code) || (error instanceof Error && LOST_WORDS.test(error.message)))
    throw unavailable('the database cannot be reached', error)
  throw error
}

/** Of PostgreSQL or of the system; an attempt at several addresses fails with one error for each. */
function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  return (first as { code?: string } | undefined)?.code ?? ''
}

/** Every integer of the schema fits a double, so bigint columns and counts come back as numbers. */
function plainNumbers(): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
  } as pg.CustomTypesConfig
}
