import { resolve } from 'node:path'
import type { Kysely, Transaction } from 'kysely'
import { conflict, unavailable } from '../platform/errors.ts'
import type { DatabaseDialect, Connections } from './dialect/dialect.ts'
import { postgresDialect } from './dialect/postgres.ts'
import { sqliteDialect } from './dialect/sqlite.ts'
import type { Tables } from './tables/index.ts'
import { rememberTotals } from './totals.ts'

declare const writes: unique symbol

/** Reading. A Tx may be used too, and then sees its own writes. */
export type Db = Kysely<Tables>

/** Writing: only `Database.transaction` makes one. */
export type Tx = Transaction<Tables> & { readonly [writes]: true }

export interface Database {
  readonly dialect: DatabaseDialect
  readonly read: Db
  readonly connections: Connections<Tables>
  /**
   * Runs `work` in one transaction: all of it or nothing. Readers are never blocked by it. Wait for nothing but the
   * database inside: on SQLite every other writer is standing in line, and after ten seconds the transaction is given up.
   * It may run again when PostgreSQL ended it for another that it waited for, so it changes nothing but the database.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Rejects when the database does not answer a read. */
  ping(): Promise<void>
  close(): Promise<void>
}

const TRANSACTION_DEADLINE_MS = 10_000
const MOST_TRIES = 5
const running = new WeakMap<Tx, { readonly hooks: (() => void)[]; readonly dialect: DatabaseDialect }>()

/** Calls `hook` once the transaction is durable; never when it is rolled back. */
export function afterCommit(tx: Tx, hook: () => void): void {
  running.get(tx)!.hooks.push(hook)
}

export const dialectOf = (tx: Tx): DatabaseDialect => running.get(tx)!.dialect

export const isTx = (db: Db): db is Tx => db.isTransaction

export function openDatabase(dialect: DatabaseDialect): Database {
  const connections = dialect.connect<Tables>()
  rememberTotals(connections.read, () => dialect.moment(connections))
  return {
    dialect,
    read: connections.read,
    connections,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        const hooks: (() => void)[] = []
        try {
          const result = await connections.write.transaction().execute((raw) => {
            const tx = raw as Tx
            running.set(tx, { hooks, dialect })
            return withDeadline(work(tx))
          })
          for (const hook of hooks) hook()
          return result
        } catch (error) {
          if (attempt === MOST_TRIES || !dialect.isDeadlock(error)) throw error
        }
      }
    },
    async ping() {
      await connections.read.selectFrom('user').select('id').limit(1).execute()
    },
    close: () => connections.close(),
  }
}

/**
 * A transaction that looks whether a name is free and then takes it. Somebody else may take it in between: then it runs once
 * more and finds the name taken. Throws conflict when that happens again.
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
    throw database.dialect.isUniqueViolation(error) ? conflict('somebody else was faster, try again') : error
  }
}

/** The dialect that `database.url` names; empty is a file in the data directory. */
export function dialectFor(url: string, dataDir: string, maxConnections: number): DatabaseDialect {
  if (/^postgres(ql)?:\/\//.test(url)) return postgresDialect(url, maxConnections)
  return sqliteDialect(url === '' ? resolve(dataDir, 'ingot.db') : resolve(url.replace(/^sqlite:(\/\/)?/, '')))
}

/** NOTE: without it one transaction that waits for something that never comes would stop every writer for good. */
async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('the database is busy')), TRANSACTION_DEADLINE_MS)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
