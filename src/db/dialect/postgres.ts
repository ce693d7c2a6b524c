import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { DatabaseDialect } from './dialect.ts'

const INT8 = 20
const NUMERIC = 1700
const UNIQUE_VIOLATION = '23505'

/** A PostgreSQL server; reads and transactions share one pool. */
export function postgresDialect(url: string, maxConnections: number): DatabaseDialect {
  return {
    name: 'postgres',
    chunkSize: 5000,
    connect<T>() {
      const pool = new pg.Pool({ connectionString: url, max: maxConnections, connectionTimeoutMillis: 10_000, types: plainNumbers() })
      // NOTE: an idle connection that the server closes emits here; the pool replaces it at the next query.
      pool.on('error', () => {})
      const both = new Kysely<T>({ dialect: new PostgresDialect({ pool }) })
      return { read: both, write: both, close: () => both.destroy() }
    },
    isUniqueViolation: (error) => error instanceof Error && (error as { code?: string }).code === UNIQUE_VIOLATION,
    lockRows: (query) => query.forUpdate(),
    lockFreeRows: (query) => query.forUpdate().skipLocked(),
    async checkIntegrity({ read }) {
      await sql`select 1`.execute(read)
    },
    copyTo: async () => false,
  }
}

/** Every integer of the schema fits a double, so bigint columns and counts come back as numbers. */
function plainNumbers(): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
  } as pg.CustomTypesConfig
}
