import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { afterCommit, type Database, dialectFor, openDatabase, type Tx } from '../../../src/core/db/database.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'

const read = (tx: Tx, name: string) =>
  tx.selectFrom('cron_task').select('runs_count').where('name', '=', name).executeTakeFirstOrThrow()
const add = (tx: Tx, name: string) =>
  tx
    .updateTable('cron_task')
    .set((eb) => ({ runs_count: eb('runs_count', '+', 1) }))
    .where('name', '=', name)
    .execute()
const counts = async ({ read: db }: Database): Promise<number[]> =>
  (await db.selectFrom('cron_task').select('runs_count').orderBy('name').execute()).map((row) => row.runs_count)

/** Opens once `parties` have arrived; later callers do not wait. */
function meeting(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let come = 0
  return () => {
    if (++come >= parties) resolve()
    return promise
  }
}

describe.skipIf(inject('postgresUrl') === '')('transactions that PostgreSQL ends in favour of others', () => {
  let opened: TestDatabase
  let database: Database
  beforeAll(async () => {
    opened = await freshDatabase('postgres')
    database = opened.database
    await database.transaction((tx) =>
      tx
        .insertInto('cron_task')
        .values([{ name: 'a' }, { name: 'b' }])
        .execute(),
    )
  })
  afterAll(() => opened.close())

  it('are run once more after a deadlock, with their hooks called once', async () => {
    const before = await counts(database)
    const meet = meeting(2)
    let runs = 0
    let hooks = 0
    const both = (first: string, second: string): Promise<void> =>
      database.transaction(async (tx) => {
        runs++
        afterCommit(tx, () => hooks++)
        await add(tx, first)
        await meet()
        await add(tx, second)
      })
    await Promise.all([both('a', 'b'), both('b', 'a')])
    expect(await counts(database)).toEqual(before.map((count) => count + 2))
    expect({ runs, hooks }).toEqual({ runs: 3, hooks: 2 })
  })

  it('are run once more after a serialization failure', async () => {
    const [before] = await counts(database)
    const meet = meeting(2)
    const copy = (): Promise<void> =>
      database.transaction(async (tx) => {
        await sql`set transaction isolation level serializable`.execute(tx)
        const { runs_count } = await read(tx, 'a')
        await meet()
        await tx
          .updateTable('cron_task')
          .set({ runs_count: runs_count + 1 })
          .where('name', '=', 'a')
          .execute()
      })
    await Promise.all([copy(), copy()])
    expect((await counts(database))[0]).toBe(before! + 2)
  })

  it('fail after a few runs with an error that the database is busy', async () => {
    let runs = 0
    const losing = database.transaction(async (tx) => {
      runs++
      await sql.raw(`do $$ begin raise exception 'lost' using errcode = '40P01'; end $$`).execute(tx)
    })
    await expect(losing).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the database is busy',
      cause: { code: '40P01' },
    })
    expect(runs).toBe(5)
  })
})

describe.skipIf(inject('postgresUrl') === '')('a statement of PostgreSQL that takes too long', () => {
  it('is cancelled and reported as unavailable; migrations have no time limit', async () => {
    const database = openDatabase(
      dialectFor({ url: `${inject('postgresUrl')}/postgres`, max_connections: 2, statementTimeoutMs: 1000 }, '.'),
    )
    try {
      await expect(sql`select pg_sleep(10)`.execute(database.read)).rejects.toMatchObject({
        kind: 'unavailable',
        message: 'the database took too long',
      })
      await sql`select pg_sleep(1.1)`.execute(database.connections.noTimeout)
    } finally {
      await database.close()
    }
  })
})

describeOnBoth('transactions that fail for good', (kind) => {
  it('run once', async () => {
    const { database, close } = await freshDatabase(kind)
    try {
      let runs = 0
      const failing = database.transaction(async (tx) => {
        runs++
        await tx
          .insertInto('cron_task')
          .values([{ name: 'a' }])
          .execute()
        await tx
          .insertInto('cron_task')
          .values([{ name: 'a' }])
          .execute()
      })
      await expect(failing).rejects.toSatisfy((error) => database.dialect.isUniqueViolation(error))
      expect(runs).toBe(1)
    } finally {
      await close()
    }
  })
})

describeOnBoth('the time limit of a transaction', (kind) => {
  it('ends with it, also when its work throws before it returns a promise', async () => {
    const opened = await freshDatabase(kind)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await opened.database.transaction(async () => 'a promise')
      const timersOfPool = vi.getTimerCount()
      const thrown = opened.database.transaction(() => {
        throw new Error('no promise')
      })
      await expect(thrown).rejects.toThrow('no promise')
      expect(vi.getTimerCount()).toBe(timersOfPool)
    } finally {
      vi.useRealTimers()
      await opened.close()
    }
  })
})
