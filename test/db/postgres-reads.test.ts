import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { freshDatabase, type TestDatabase } from '../harness/databases.ts'
import { MEASURED } from '../harness/measured.ts'

interface Prepared {
  readonly statement: string
}

describe.skipIf(inject('postgresUrl') === '')('reads on PostgreSQL', () => {
  let opened: TestDatabase
  let database: Database
  beforeAll(async () => {
    opened = await freshDatabase('postgres')
    database = opened.database
    await database.transaction((tx) =>
      tx
        .insertInto('cron_task')
        .values(['a', 'b', 'c'].map((name) => ({ name })))
        .execute(),
    )
  })
  afterAll(() => opened.close())

  const named = async (names: string[]): Promise<string[]> =>
    (await database.read.selectFrom('cron_task').selectAll().where('name', 'in', names).orderBy('name').execute()).map(
      ({ name }) => name,
    )

  it('prepare a list of values once, whatever its length', async () => {
    expect(await named(['a'])).toEqual(['a'])
    expect(await named(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
    expect(await named(['b', 'x'])).toEqual(['b'])
    const others = await database.read.selectFrom('cron_task').select('name').where('name', 'not in', ['a']).execute()
    expect(others.map(({ name }) => name).toSorted()).toEqual(['b', 'c'])
    const { rows } = await sql<Prepared>`select statement from pg_prepared_statements`.execute(database.read)
    expect(rows.filter(({ statement }) => statement.includes('"name" = any($1)'))).toHaveLength(1)
  })

  it('go on after another process has added a column, in a transaction too', async () => {
    const inTransaction = () =>
      database.transaction((tx) => tx.selectFrom('cron_task').selectAll().where('name', '=', 'a').execute())
    for (let i = 0; i < 3; i++) {
      await named(['a'])
      await inTransaction()
    }
    await sql`alter table cron_task add column added integer`.execute(database.connections.noTimeout)
    expect(await named(['a'])).toEqual(['a'])
    expect(await inTransaction()).toMatchObject([{ name: 'a', added: null }])
  })

  it('do not wait for a slow one', MEASURED, async () => {
    const slow = sql`select pg_sleep(${1})`.execute(database.read)
    const begin = performance.now()
    await named(['a'])
    expect(performance.now() - begin).toBeLessThan(900)
    await slow
  })

  it('fail with a lost connection and succeed with the next', async () => {
    const end = sql`select pg_terminate_backend(pg_backend_pid()), ${1} as one`.execute(database.read)
    await expect(end).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await named(['c'])).toEqual(['c'])
  })
})
