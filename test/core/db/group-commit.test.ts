import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { afterCommit, type Database, type Tx } from '../../../src/core/db/database.ts'
import { freshDatabase, type TestDatabase } from '../../harness/databases.ts'

describe('transactions that one durable commit makes permanent together', () => {
  let opened: TestDatabase
  let database: Database
  beforeEach(async () => {
    opened = await freshDatabase('sqlite')
    database = opened.database
  })
  afterEach(() => opened.close())

  const insert = (tx: Tx, name: string) => tx.insertInto('cron_task').values({ name }).execute()
  const names = async (): Promise<string[]> =>
    (await database.read.selectFrom('cron_task').select('name').orderBy('name').execute()).map((row) => row.name)
  const version = (): number => database.connections.version!()

  it('need fewer commits than transactions, and each is answered after its commit', async () => {
    const versions = new Set<number>()
    const write = (n: number): Promise<void> =>
      database.transaction(async (tx) => {
        await insert(tx, `task ${n}`)
        versions.add(version())
      })
    const all = Array.from({ length: 50 }, async (_, n) => {
      await write(n)
      expect(await names()).toContain(`task ${n}`)
    })
    await Promise.all(all)
    expect(await names()).toHaveLength(50)
    expect(versions.size).toBeLessThan(25)
  })

  it('fail individually', async () => {
    const hooks: number[] = []
    const all = Array.from({ length: 20 }, (_, n) =>
      database.transaction(async (tx) => {
        afterCommit(tx, () => hooks.push(n))
        await insert(tx, `task ${n}`)
        if (n % 3 === 0) throw new Error(`refused ${n}`)
        if (n % 3 === 1) await insert(tx, `task ${n}`)
      }),
    )
    const results = await Promise.allSettled(all)
    const succeeded = results.flatMap((result, n) => (result.status === 'fulfilled' ? [n] : []))
    expect(succeeded).toEqual([2, 5, 8, 11, 14, 17])
    expect(hooks.toSorted((a, b) => a - b)).toEqual(succeeded)
    expect((await names()).toSorted()).toEqual(succeeded.map((n) => `task ${n}`).toSorted())
  })

  it('fail only when the rows that they failed for can be read', async () => {
    const failed: string[][] = []
    const all = Array.from({ length: 8 }, () =>
      database.transaction((tx) => insert(tx, 'one')).catch(async () => failed.push(await names())),
    )
    await Promise.all(all)
    expect(failed).toEqual(Array(7).fill(['one']))
  })

  it('see what the members before them wrote, and end together when the commit fails', async () => {
    await database.transaction((tx) => sql`create table "parent" (id integer primary key)`.execute(tx))
    await database.transaction((tx) =>
      sql`create table "child" (id integer references parent (id) deferrable initially deferred)`.execute(tx),
    )
    const seen: string[] = []
    const ahead = database.transaction(async (tx) => {
      await insert(tx, 'first')
      await nextTurn()
    })
    const orphan = database.transaction(async (tx) => {
      seen.push(...(await tx.selectFrom('cron_task').select('name').execute()).map((row) => row.name))
      await sql`insert into child values (7)`.execute(tx)
    })
    const results = await Promise.allSettled([ahead, orphan])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(seen).toEqual(['first'])
    expect(await names()).toEqual([])
    await database.transaction((tx) => insert(tx, 'later'))
    expect(await names()).toEqual(['later'])
  })

  it('do not keep a group open for a transaction that cannot begin', async () => {
    const first = database.transaction(async (tx) => {
      await insert(tx, 'first')
      await nextTurn()
    })
    const plain = sql`select 1`.execute(database.connections.write)
    await Promise.all([first, plain])
    expect(await names()).toEqual(['first'])
  })

  it('refuse statements of a transaction that has ended', async () => {
    let late: Tx | undefined
    await database.transaction(async (tx) => void (late = tx))
    await expect(insert(late!, 'late')).rejects.toThrow()
    expect(await names()).toEqual([])
  })
})
