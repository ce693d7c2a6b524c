import type { Database } from '../../src/core/db/database.ts'

export interface AskedQuery {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** What reads ask the database while `act` runs. */
export async function queriesOf(database: Database, act: () => Promise<unknown>): Promise<AskedQuery[]> {
  const asked: AskedQuery[] = []
  const executor = database.read.getExecutor() as unknown as { executeQuery(query: AskedQuery): Promise<unknown> }
  const original = executor.executeQuery.bind(executor)
  Object.assign(executor, { executeQuery: (query: AskedQuery) => (asked.push(query), original(query)) })
  try {
    await act()
  } finally {
    Object.assign(executor, { executeQuery: original })
  }
  return asked
}
