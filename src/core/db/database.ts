import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NoResultError, type Kysely, type Transaction } from 'kysely'
import { engineErrors } from '../platform/errors.ts'
import type { Cascade, Connections, DatabaseDialect } from './dialect/dialect.ts'
import { postgresDialect } from './dialect/postgres.ts'
import { sqliteDialect, type SqliteOptions } from './dialect/sqlite.ts'
import { PreparedStatements } from './prepared-statement.ts'
import type { Schema } from './schema.ts'
import { noteCommit, withReadCache } from './read-cache.ts'

/** A database handle for reads. A Tx may be passed too, and then sees its own writes. */
export type Db = Kysely<Schema>

/** State of a transaction in addition to its connection. */
interface TxState {
  readonly afterCommit: (() => void)[]
  readonly dialect: DatabaseDialect
  cascades(tx: Tx): Promise<readonly Cascade[]>
  /** Restarts the deadline of `TRANSACTION_DEADLINE_MS`. */
  extend(): void
}

const state = Symbol('transaction state')

/** A transaction that may write: only `Database.transaction` creates one. */
export type Tx = Transaction<Schema> & { readonly [state]: TxState }

export interface Database {
  readonly dialect: DatabaseDialect
  readonly read: Db
  readonly connections: Connections<Schema>
  /**
   * Runs `work` in one transaction, which never blocks readers. Await nothing but the database inside: on SQLite every
   * other writer waits, and after ten seconds the transaction is rolled back. Throws conflict if another transaction
   * deletes something that the work refers to.
   * NOTE: the work runs again if PostgreSQL ended it in favour of another (deadlock, serialization), so it must change
   * nothing but the database; use `afterCommit` for effects that must happen once. Throws unavailable when the database
   * is busy or lost.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Rejects if the database does not answer a read. */
  ping(): Promise<void>
  close(): Promise<void>
}

const TRANSACTION_DEADLINE_MS = 10_000

/** Calls `hook` once the transaction is durable, and never if it is rolled back. */
export function afterCommit(tx: Tx, hook: () => void): void {
  tx[state].afterCommit.push(hook)
}

export const dialectOf = (tx: Tx): DatabaseDialect => tx[state].dialect

/** The foreign keys of the database, read once. */
export const cascadesOf = (tx: Tx): Promise<readonly Cascade[]> => tx[state].cascades(tx)

/** Extends the time limit of a transaction. Long work calls it after each short step. */
export const extendDeadline = (tx: Tx): void => tx[state].extend()

export const isTx = (db: Db): db is Tx => db.isTransaction

export function openDatabase(dialect: DatabaseDialect): Database {
  const opened = dialect.connect<Schema>()
  const statements = new PreparedStatements()
  const connections = {
    ...opened,
    read: opened.read.withPlugin(statements),
    write: opened.write.withPlugin(statements),
  }
  // NOTE: a table that another process adds by a later migration is missing here; its foreign keys still apply.
  let known: readonly Cascade[] | undefined
  const cascades = async (tx: Tx) => (known ??= await dialect.listCascades(tx))
  withReadCache(connections.read, { snapshot: () => dialect.snapshot(connections), version: connections.version })
  return {
    dialect,
    read: connections.read,
    connections,
    transaction: (work) => retryOnConflict(dialect, () => runOnce({ connections, dialect, cascades }, work)),
    async ping() {
      await connections.read.selectFrom('user').select('id').limit(1).execute()
    },
    close: () => connections.close(),
  }
}

type Opened = Pick<Database, 'connections' | 'dialect'> & Pick<TxState, 'cascades'>

async function runOnce<T>({ connections, dialect, cascades }: Opened, work: (tx: Tx) => Promise<T>): Promise<T> {
  const hooks: (() => void)[] = []
  const result = await connections.write.transaction().execute(async (raw) => {
    const deadline = startDeadline()
    const carried: TxState = { afterCommit: hooks, dialect, cascades, extend: deadline.extend }
    return deadline.limit(() => work(Object.assign(raw, { [state]: carried })))
  })
  noteCommit(connections.read)
  for (const hook of hooks) hook()
  return result
}

const MAX_ATTEMPTS = 5
const RETRY_MS = 10

/** Each retry waits a random time: two conflicting transactions would conflict again at the same pace. */
async function retryOnConflict<T>(dialect: DatabaseDialect, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (dialect.isMissingReference(error) || error instanceof NoResultError) throw engineErrors.deletedConcurrently()
      if (!dialect.isRetryable(error)) throw error
      if (attempt === MAX_ATTEMPTS) throw engineErrors.databaseBusy().causedBy(error)
      await sleep(Math.random() * RETRY_MS * 2 ** attempt)
    }
  }
}

/**
 * Runs a transaction that checks that a name is free and then inserts it. If another one inserts it in between, the
 * work runs once more and finds the name taken. Throws conflict if that happens again.
 */
export async function retryOnUniqueViolation<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(work)
  } catch (error) {
    if (!database.dialect.isUniqueViolation(error)) throw error
  }
  try {
    return await database.transaction(work)
  } catch (error) {
    throw database.dialect.isUniqueViolation(error) ? engineErrors.changedConcurrently() : error
  }
}

export interface DatabaseSettings {
  readonly url: string
  /** PostgreSQL only. */
  readonly max_connections: number
  /** PostgreSQL only; 0 for no limit. */
  readonly statementTimeoutMs?: number
}

/** After this time PostgreSQL cancels a statement and the request is answered with 503. Migrations have no limit. */
const STATEMENT_TIMEOUT_MS = 300_000

/** The dialect for the URL; an empty URL means a file in the data directory. `options` apply to SQLite. */
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
  const timer = setTimeout(() => reject(engineErrors.databaseBusy()), TRANSACTION_DEADLINE_MS)
  return {
    extend: (): void => void timer.refresh(),
    limit: async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await Promise.race([work(), promise])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
