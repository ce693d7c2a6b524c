import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { invalid } from '../../platform/errors.ts'
import type { DatabaseDialect } from './dialect.ts'

const INT8 = 20
const NUMERIC = 1700
const UNIQUE_VIOLATION = '23505'
const DEADLOCK = '40P01'
const INVALID_TEXT = '22021'

/** A PostgreSQL server; reads and transactions share one pool. */
export function postgresDialect(url: string, maxConnections: number): DatabaseDialect {
  return {
    name: 'postgres',
    chunkSize: 5000,
    connect<T>() {
      const pool = new pg.Pool({ connectionString: url, max: maxConnections, connectionTimeoutMillis: 10_000, types: plainNumbers(), Client: CalmClient })
      // NOTE: an idle connection that the server closes emits here; the pool replaces it at the next query.
      pool.on('error', () => {})
      const both = new Kysely<T>({ dialect: new PostgresDialect({ pool }) })
      return { read: both, write: both, close: () => both.destroy() }
    },
    isUniqueViolation: (error) => codeOf(error) === UNIQUE_VIOLATION,
    isDeadlock: (error) => codeOf(error) === DEADLOCK,
    // NOTE: rows that refer to a locked one may still be added.
    lockRows: (query) => query.forNoKeyUpdate(),
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

const codeOf = (error: unknown): string | undefined => (error instanceof Error ? (error as { code?: string }).code : undefined)

/** PostgreSQL stores no NUL; what is sent to it with one is bad input, not a fault of the server. */
class CalmClient extends pg.Client {
  override query(...args: unknown[]): never {
    const answer: unknown = Reflect.apply(super.query, this, args)
    return (answer instanceof Promise ? answer.catch(explain) : answer) as never
  }
}

function explain(error: unknown): never {
  if (codeOf(error) === INVALID_TEXT) throw invalid('[]: a text has a NUL character')
  throw error
}

/** Every integer of the schema fits a double, so bigint columns and counts come back as numbers. */
function plainNumbers(): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
  } as pg.CustomTypesConfig
}
