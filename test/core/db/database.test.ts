import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { afterCommit, type Database, type Tx } from '../../../src/core/db/database.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'
import { MEASURED } from '../../harness/measured.ts'

const PROMPT_MS = 1_000

const add = (tx: Tx, name: string) => tx.insertInto('cron_task').values({ name }).execute()
const names = async (database: Database): Promise<string[]> =>
  (await database.read.selectFrom('cron_task').select('name').orderBy('name').execute()).map((row) => row.name)

describeOnBoth('transactions', (kind) => {
  let opened: TestDatabase
  let database: Database
  beforeEach(async () => {
    opened = await freshDatabase(kind)
    database = opened.database
  })
  afterEach(() => opened.close())

  it('that stand open never block a reader, who sees what was before', MEASURED, async () => {
    const { promise: held, resolve: holding } = Promise.withResolvers<void>()
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const writing = database.transaction(async (tx) => {
      await add(tx, 'one')
      holding()
      await mayEnd
    })
    await held
    const begin = performance.now()
    for (let i = 0; i < 50; i++) expect(await names(database)).toEqual([])
    expect(performance.now() - begin).toBeLessThan(PROMPT_MS)
    end()
    await writing
    expect(await names(database)).toEqual(['one'])
  })

  it('refuse statements once they have ended, or while they end', async () => {
    const { tx } = await database.transaction(async (open) => ({ tx: open }))
    await expect(add(tx, 'late')).rejects.toThrow()
    let abandoned: Promise<unknown> | undefined
    const failing = database.transaction(async (open) => {
      abandoned = add(open, 'rolled back').then(() => add(open, 'while it ends'))
      abandoned.catch(() => {})
      throw new Error('stopped')
    })
    await expect(failing).rejects.toThrow('stopped')
    await expect(abandoned).rejects.toThrow()
    expect(await names(database)).toEqual([])
  })

  it('run again when the database ends one of two that wait for each other', async () => {
    await database.transaction(async (tx) => (await add(tx, 'a'), await add(tx, 'b')))
    const bump = (first: string, second: string): Promise<void> =>
      database.transaction(async (tx) => {
        for (const name of [first, second]) {
          await tx
            .updateTable('cron_task')
            .set((eb) => ({ runs_count: eb('runs_count', '+', 1) }))
            .where('name', '=', name)
            .execute()
          await sql`select 1`.execute(tx)
        }
      })
    await Promise.all(Array.from({ length: 6 }, (_, turn) => (turn % 2 === 0 ? bump('a', 'b') : bump('b', 'a'))))
    expect(
      (await database.read.selectFrom('cron_task').select('runs_count').execute()).map((row) => row.runs_count),
    ).toEqual([6, 6])
  }, 30_000)

  it('are all or nothing', async () => {
    const failing = database.transaction(async (tx) => {
      await add(tx, 'half')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await names(database)).toEqual([])
    await database.transaction((tx) => add(tx, 'after'))
    expect(await names(database)).toEqual(['after'])
  })

  it('of ten writers at once all come through', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        database.transaction(async (tx) => {
          await add(tx, `writer-${i}`)
          await sql`update cron_task set runs_count = runs_count + 1 where name = ${`writer-${i}`}`.execute(tx)
        }),
      ),
    )
    expect(await names(database)).toHaveLength(10)
  })

  it('call hooks after the commit and never after a rollback', async () => {
    const called: string[] = []
    await database.transaction(async (tx) => {
      afterCommit(tx, () => called.push('committed'))
      expect(called).toEqual([])
    })
    await database
      .transaction(async (tx) => {
        afterCommit(tx, () => called.push('rolled back'))
        throw new Error('no')
      })
      .catch(() => {})
    expect(called).toEqual(['committed'])
  })

  it('distinguish a unique violation from other errors', async () => {
    await database.transaction((tx) => add(tx, 'twice'))
    const error: unknown = await database.transaction((tx) => add(tx, 'twice')).catch((e: unknown) => e)
    expect(database.dialect.isUniqueViolation(error)).toBe(true)
    expect(database.dialect.isUniqueViolation(new Error('other'))).toBe(false)
    await expect(database.dialect.checkIntegrity(database.connections)).resolves.toBeUndefined()
  })
})

describe('SQLite', () => {
  it('writes to a write-ahead log, which `WalSync` syncs, with foreign keys enforced', async () => {
    const opened = await freshDatabase('sqlite')
    try {
      const { write } = opened.database.connections
      const pragma = async (name: string): Promise<unknown> =>
        Object.values((await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(write)).rows[0]!)[0]
      expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')]).toEqual([
        'wal',
        1,
        1,
      ])
    } finally {
      await opened.close()
    }
  })

  it('is given nothing to plan by that changes from run to run: a plan takes longer than a run', async () => {
    const { database, close } = await freshDatabase('sqlite')
    try {
      const { sql: text, parameters } = database.read
        .selectFrom('user')
        .select('id')
        .where('name', '=', 'a')
        .limit(5)
        .offset(10)
        .compile()
      expect(text).toBe('select "id" from "user" where "name" = +? limit 5 offset +?')
      expect(parameters).toEqual(['a', 10])
      const given = ['12', 12, null, Buffer.from('1')]
      const { rows } = await sql<{ given: unknown }>`${sql.join(
        given.map((value) => sql`select ${value} as given`),
        sql` union all `,
      )}`.execute(database.read)
      expect(rows.map((row) => row.given)).toEqual(given)
    } finally {
      await close()
    }
  })
})

describe.skipIf(inject('postgresUrl') === '')('both databases', () => {
  it('have the same tables and columns', async () => {
    const shapes = await Promise.all(
      (['sqlite', 'postgres'] as const).map(async (kind) => {
        const { database, close } = await freshDatabase(kind)
        try {
          const tables = await database.read.introspection.getTables()
          return Object.fromEntries(
            tables
              // NOTE: a full-text index is a virtual table of SQLite and an index of PostgreSQL. A cluster needs
              // PostgreSQL. The index of code is a file of its own with SQLite.
              .filter(({ name }) => !/^sqlite_|^issue_text_index(?:_|$)|^cluster_|^code_(?:blob|file|repo)$/.test(name))
              .toSorted((a, b) => (a.name < b.name ? -1 : 1))
              .map(({ name, columns }) => [
                name,
                columns
                  .map(
                    (column) =>
                      `${column.name}${column.isNullable && !column.isAutoIncrementing ? ' null' : ''}${column.hasDefaultValue && !column.isAutoIncrementing && column.name !== 'id' ? ' default' : ''}`,
                  )
                  .toSorted(),
              ]),
          )
        } finally {
          await close()
        }
      }),
    )
    expect(Object.keys(shapes[0]!).length).toBeGreaterThan(20)
    expect(shapes[0]).toEqual(shapes[1])
  })
})
