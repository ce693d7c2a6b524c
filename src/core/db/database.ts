import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NoResultError, type Kysely, type Transaction } from 'kysely'
import { conflict, unavailable } from '../platform/errors.ts'
import type { Cascade, Connections, DatabaseDialect } from './dialect/dialect.ts'
import { postgresDialect } from './dialect/postgres.ts'
import { sqliteDialect, type SqliteOptions } from './dialect/sqlite.ts'
import { withPreparedStatements, PreparedStatements } from './prepared-statement.ts'
import type { Schema } from './schema.ts'
import { noteCommit, withReadCache } from './read-cache.ts'

/** Reading. A Tx may be used too, and then sees its own writes. */
export type Db = Kysely<Schema>

/** What a transaction carries beside its connection. */
interface TxState {
  readonly afterCommit: (() => void)[]
  readonly dialect: DatabaseDialect
  cascades(tx: Tx): Promise<readonly Cascade[]>
  /** Counts `TRANSACTION_DEADLINE_MS` from now. */
  extend(): void
}

const state = Symbol('transaction state')

/** Writing: only `Database.transaction` makes one. */
export type Tx = Transaction<Schema> & { readonly [state]: TxState }

export interface Database {
  readonly dialect: DatabaseDialect
  readonly read: Db
  readonly connections: Connections<Schema>
  /**
   * Runs `work` in one transaction: all of it or nothing. Readers are never blocked by it. Wait for nothing but the
   * database inside: on SQLite every other writer waits, and after ten seconds the transaction is rolled
   * back. Throws conflict when something that the work refers to was deleted meanwhile.
   * NOTE: it runs again when PostgreSQL ended it in favour of another (deadlock, serialization), so it changes nothing
   * but the database; what must happen once belongs in `afterCommit`. Throws unavailable when the database is busy or
   * lost.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Rejects when the database does not answer a read. */
  ping(): Promise<void>
  close(): Promise<void>
}

const TRANSACTION_DEADLINE_MS = 10_000

/** Calls `hook` once the transaction is durable; never when it is rolled back. */
export function afterCommit(tx: Tx, hook: () => void): void {
  tx[state].afterCommit.push(hook)
}

export const dialectOf = (tx: Tx): DatabaseDialect => tx[state].dialect

/** The foreign keys of the database, read once. */
export const cascadesOf = (tx: Tx): Promise<readonly Cascade[]> => tx[state].cascades(tx)

/** For long work in short steps, after each of them. */
export const extendDeadline = (tx: Tx): void => tx[state].extend()

export const isTx = (db: Db): db is Tx => db.isTransaction

export function openDatabase(dialect: DatabaseDialect): Database {
  const connections = dialect.connect<Schema>()
  const statements = new PreparedStatements()
  // NOTE: a table that another process adds by a later migration is missing here, and left to its foreign keys.
  let known: readonly Cascade[] | undefined
  const cascades = async (tx: Tx) => (known ??= await dialect.listCascades(tx))
  withPreparedStatements(connections.read, statements)
  withReadCache(connections.read, { snapshot: () => dialect.snapshot(connections), version: connections.version })
  return {
    dialect,
    read: connections.read,
    connections,
    transaction: (work) => retryingLost(dialect, () => runOnce({ connections, dialect, statements, cascades }, work)),
    async ping() {
      await connections.read.selectFrom('user').select('id').limit(1).execute()
    },
    close: () => connections.close(),
  }
}

interface Opened extends Pick<Database, 'connections' | 'dialect'>, Pick<TxState, 'cascades'> {
  readonly statements: PreparedStatements
}

async function runOnce<T>(
  { connections, dialect, statements, cascades }: Opened,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const hooks: (() => void)[] = []
  const result = await connections.write.transaction().execute(async (raw) => {
    const deadline = startDeadline()
    const carried: TxState = { afterCommit: hooks, dialect, cascades, extend: deadline.extend }
    return deadline.limit(work(withPreparedStatements(Object.assign(raw, { [state]: carried }), statements)))
  })
  noteCommit(connections.read)
  for (const hook of hooks) hook()
  return result
}

const MAX_ATTEMPTS = 5
const RETRY_MS = 10

/** Two transactions that conflicted would conflict again at the same pace, so each waits a random time. */
async function retryingLost<T>(dialect: DatabaseDialect, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (dialect.isMissingReference(error) || error instanceof NoResultError)
        throw conflict('what this refers to was deleted at the same time')
      if (!dialect.isLostRace(error)) throw error
      if (attempt === MAX_ATTEMPTS) throw unavailable('the database is busy', error)
      await sleep(Math.random() * RETRY_MS * 2 ** attempt)
    }
  }
}

/**
 * A transaction that checks that a name is free and then inserts it. Another one may insert it in between: then it runs
 * once more and finds the name taken. Throws conflict when that happens again.
 */
export async function retryingTaken<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(work)
  } catch (error) {
    if (!database.dialect.isUniqueViolation(error)) throw error
  }
  try {
    return await database.transaction(work)
  } catch (error) {
    throw database.dialect.isUniqueViolation(error)
      ? conflict('another request changed the same at the same moment: try again')
      : error
  }
}

export interface DatabaseSettings {
  readonly url: string
  /** PostgreSQL. */
  readonly max_connections: number
  /** PostgreSQL; 0 for no limit. */
  readonly statementTimeoutMs?: number
}

/** After which a statement of PostgreSQL is given up and the request answered 503. Migrations have no limit. */
const STATEMENT_TIMEOUT_MS = 300_000

/**
 * The dialect that the URL names; empty is a file in the data directory. `options` are those of SQLite.
 */
export function dialectFor(
  { url, max_connections: maxConnections, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: DatabaseSettings,
  dataDir: string,
  options: Pick<SqliteOptions, 'keepLog' | 'locks'> = {},
): DatabaseDialect {
  if (/^postgres(ql)?:\/\//.test(url)) return postgresDialect(url, { maxConnections, statementTimeoutMs })
  const file = url === '' ? resolve(dataDir, 'ingot.db') : resolve(url.replace(/^sqlite:(\/\/)?/, ''))
  return sqliteDialect(file, options)
}

/** NOTE: without it one transaction that never ends would block every writer forever. */
function startDeadline() {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unavailable('the database is busy')), TRANSACTION_DEADLINE_MS)
  return {
    extend: (): void => void timer.refresh(),
    limit: async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await Promise.race([work, promise])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
