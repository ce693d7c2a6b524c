import { type QueryResult, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database, Tx } from '../../../src/core/db/database.ts'
import { deleteInSteps } from '../../../src/core/db/delete-in-steps.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'

/** A table that the schema does not know. */
const TREE = 'parent' as 'repo'
const WIDE = 1_050

describeOnBoth('rows that are deleted in steps', (kind) => {
  let opened: TestDatabase
  let database: Database
  beforeAll(async () => {
    opened = await freshDatabase(kind)
    database = opened.database
    const id = sql.raw(kind === 'sqlite' ? 'integer primary key autoincrement' : 'bigserial primary key')
    await write(async (tx) => {
      await sql`create table parent (id ${id}, name text)`.execute(tx)
      await sql`create table child (id ${id}, parent_id bigint references parent (id) on delete cascade,
        other_id bigint references child (id) on delete cascade)`.execute(tx)
      await sql`create table leaf (child_id bigint references child (id) on delete cascade, n bigint,
        primary key (child_id, n))`.execute(tx)
      await sql`create table note (parent_id bigint references parent (id) on delete set null, n bigint)`.execute(tx)
    })
  })
  afterAll(() => opened.close())

  const write = (work: (tx: Tx) => Promise<void>) => database.transaction(work)
  const count = async (table: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(database.read)
    return Number(rows[0]!.n)
  }
  const numbers = (n: number) =>
    sql`(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${sql.lit(n)}) select n from c)`

  /** Parent 1 has many children, parent 2 has one with many leaves, parent 3 is to stay. */
  const fill = (tx: Tx) =>
    Promise.all([
      sql`insert into parent (id, name) values (1, 'wide'), (2, 'deep'), (3, 'kept')`.execute(tx),
      sql`insert into child (id, parent_id) select n, 1 from ${numbers(WIDE)} as c`.execute(tx),
      sql`insert into child (id, parent_id, other_id) values (5001, 2, null), (5002, 3, 5001), (5003, 3, null)`.execute(
        tx,
      ),
      sql`insert into leaf (child_id, n) select n, 1 from ${numbers(WIDE)} as c`.execute(tx),
      sql`insert into leaf (child_id, n) select 5001, n from ${numbers(WIDE)} as c`.execute(tx),
      sql`insert into leaf (child_id, n) select 5003, n from ${numbers(10)} as c`.execute(tx),
      sql`insert into note (parent_id, n) values (1, 1), (3, 2)`.execute(tx),
    ])

  it('leave what foreign keys would leave, a part with each statement', async () => {
    await write(async (tx) => void (await fill(tx)))
    const deleted: number[] = []
    await write(async (tx) => {
      const executor = tx.getExecutor() as unknown as {
        executeQuery: (query: unknown) => Promise<QueryResult<unknown>>
      }
      const send = executor.executeQuery.bind(executor)
      executor.executeQuery = async (query) => {
        const result = await send(query)
        deleted.push(Number(result.numAffectedRows ?? 0))
        return result
      }
      await deleteInSteps(tx, TREE, [1, 2])
    })
    expect(Math.max(...deleted)).toBe(100)
    expect(deleted.reduce((sum, n) => sum + n)).toBeGreaterThan(2 * WIDE - 100)
    expect([await count('parent'), await count('child'), await count('leaf'), await count('note')]).toEqual([
      1, 1, 10, 2,
    ])
    await write(async (tx) => void (await sql`delete from parent`.execute(tx)))
  })

  it('are all there again when the transaction fails', async () => {
    await write(async (tx) => void (await fill(tx)))
    const failing = write(async (tx) => {
      await deleteInSteps(tx, TREE, [1, 2])
      throw new Error('stopped')
    })
    await expect(failing).rejects.toThrow('stopped')
    expect([await count('parent'), await count('child'), await count('leaf')]).toEqual([3, WIDE + 3, 2 * WIDE + 10])
  })
})
