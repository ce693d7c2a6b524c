import type { Kysely } from 'kysely'
import { vi } from 'vitest'
import type { Database } from '../../src/core/db/database.ts'
import type { Schema } from '../../src/core/db/schema.ts'

interface Statement {
  readonly sql: string
}

interface Connection {
  executeQuery(query: Statement, options?: unknown): Promise<unknown>
}

interface Executor {
  provideConnection<T>(consumer: (connection: Connection) => Promise<T>, options?: unknown): Promise<T>
}

/**
 * The text of everything that this process sends to the database while `act` runs, in order. SQLite's writing
 * connection begins and commits by itself.
 */
export async function statementsOf(
  { connections: { read, write } }: Database,
  act: () => Promise<unknown>,
): Promise<string[]> {
  const sent: string[] = []
  const stop = [read, write].map((db) => listen(db, sent))
  try {
    await act()
  } finally {
    for (const each of stop) each()
  }
  return sent
}

/**
 * Runs `act` as if no other process committed: the snapshot of PostgreSQL also names the transactions of its other
 * databases.
 */
export async function withSteadySnapshot<T>({ dialect, connections }: Database, act: () => Promise<T>): Promise<T> {
  const snapshot = vi.spyOn(dialect, 'snapshot').mockResolvedValue(await dialect.snapshot(connections))
  try {
    return await act()
  } finally {
    snapshot.mockRestore()
  }
}

/** Returns what stops listening. */
function listen(db: Kysely<Schema>, sent: string[]): () => void {
  const executor = db.getExecutor() as unknown as Executor
  const original = executor.provideConnection.bind(executor)
  const provideConnection: Executor['provideConnection'] = (consumer, options) =>
    original((connection) => consumer(recording(connection, sent)), options)
  Object.assign(executor, { provideConnection })
  return () => void Reflect.deleteProperty(executor, 'provideConnection')
}

const recording = (connection: Connection, sent: string[]): Connection =>
  new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'executeQuery') return value.bind(target) as unknown
      return (query: Statement, options?: unknown) => {
        sent.push(query.sql)
        return target.executeQuery(query, options)
      }
    },
  })
