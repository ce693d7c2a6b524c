import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CompiledQuery } from 'kysely'
import type { Database } from '../../../src/core/db/database.ts'
import { beginReads, cachedByIds, cachedCount, cachedUntilCommit } from '../../../src/core/db/read-cache.ts'
import { insertUser } from '../../harness/rows.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'
import { withSteadySnapshot } from '../../harness/statements.ts'

describeOnBoth('totals of searches', (kind) => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await freshDatabase(kind)
  })
  afterAll(() => db.close())

  const count = (from: Database['read'], keyword: string): Promise<number> =>
    cachedCount(
      from,
      from
        .selectFrom('user')
        .where('lower_name', 'like', `${keyword}%`)
        .select((eb) => eb.fn.countAll<number>().as('total')),
    )
  const add = (name: string): Promise<unknown> =>
    db.database.transaction((tx) =>
      insertUser(tx, {
        kind: 'individual',
        name,
        lower_name: name,
        email: `${name}@example.test`,
        created_at: 1,
        updated_at: 1,
      }),
    )

  it('are counted again after each commit and by each words, never between', async () => {
    const { read } = db.database
    const counted = countQueries(read)
    expect(await count(read, 'tom')).toBe(0)
    await add('tom-1')
    expect([await count(read, 'tom'), await count(read, 'kim')]).toEqual([1, 0])
    const before = counted.queries
    expect([await count(read, 'tom'), await count(read, 'kim')]).toEqual([1, 0])
    // Another process of the same server may commit (PostgreSQL: of other databases too), then it counts once more.
    if (kind === 'sqlite') expect(counted.queries).toBe(before)
    await add('tom-2')
    expect([await count(read, 'tom'), await count(read, 'kim')]).toEqual([2, 0])
  })

  it('see a commit of another process', async () => {
    const { read, dialect } = db.database
    const other = dialect.connect<{ user: { id: number; lower_name: string } }>()
    await add('eve-1')
    expect(await count(read, 'eve')).toBe(1)
    await other.write.transaction().execute((tx) => tx.deleteFrom('user').where('lower_name', '=', 'eve-1').execute())
    expect(await count(read, 'eve')).toBe(0)
    await other.close()
  })

  it('see the own writes of a transaction, and nothing of one that is not over', async () => {
    const { read } = db.database
    await db.database.transaction(async (tx) => {
      expect(await count(tx, 'ida')).toBe(0)
      await insertUser(tx, {
        kind: 'individual',
        name: 'ida',
        lower_name: 'ida',
        email: 'ida@example.test',
        created_at: 1,
        updated_at: 1,
      })
      expect([await count(tx, 'ida'), await count(read, 'ida')]).toEqual([1, 0])
    })
    expect(await count(read, 'ida')).toBe(1)
  })
})

describeOnBoth('remembered look-ups', (kind) => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await freshDatabase(kind)
    await db.database.transaction((tx) =>
      insertUser(tx, {
        kind: 'individual',
        name: 'ann',
        lower_name: 'ann',
        email: 'ann@example.test',
        created_at: 1,
        updated_at: 1,
      }),
    )
  })
  afterAll(() => db.close())

  let loads = 0
  const loginName = (from: Database['read'], key = 'login of ann'): Promise<string | undefined> =>
    cachedUntilCommit(from, key, async () => {
      loads++
      const row = await from.selectFrom('user').select('login_name').where('lower_name', '=', 'ann').executeTakeFirst()
      return row?.login_name
    })
  const rename = (to: string): Promise<unknown> =>
    db.database.transaction((tx) =>
      tx.updateTable('user').set({ login_name: to }).where('lower_name', '=', 'ann').execute(),
    )

  it('read once until a commit of this process or of another', async () => {
    const { read, dialect } = db.database
    await rename('one')
    loads = 0
    expect([await loginName(read), await loginName(read)]).toEqual(['one', 'one'])
    expect(loads).toBe(kind === 'sqlite' ? 1 : 2)
    await rename('two')
    expect(await loginName(read)).toBe('two')
    const other = dialect.connect<{ user: { login_name: string; lower_name: string } }>()
    await other.write
      .transaction()
      .execute((tx) => tx.updateTable('user').set({ login_name: 'three' }).where('lower_name', '=', 'ann').execute())
    expect(await loginName(read)).toBe('three')
    await other.close()
  })

  it('are read once by requests that only read, until a commit of this process or of another', async () => {
    const { read, dialect } = db.database
    const other = dialect.connect<{ user: { login_name: string; lower_name: string } }>()
    const renameElsewhere = (to: string) =>
      other.write
        .transaction()
        .execute((tx) => tx.updateTable('user').set({ login_name: to }).where('lower_name', '=', 'ann').execute())
    const request = (work: () => Promise<unknown>) => beginReads(read).during(work)
    const ask = () => request(() => loginName(read))
    await rename('first')
    await withSteadySnapshot(db.database, async () => {
      await ask()
      loads = 0
      await ask()
      expect(loads).toBe(0)
    })
    for (let i = 0; i < 5; i++) {
      await renameElsewhere(`elsewhere ${i}`)
      expect(await ask()).toBe(`elsewhere ${i}`)
      await rename(`here ${i}`)
      expect(await Promise.all([ask(), ask()])).toEqual([`here ${i}`, `here ${i}`])
    }
    await request(async () => {
      await loginName(read)
      await rename('by the request')
      expect(await loginName(read)).toBe('by the request')
    })
    await other.close()
  })

  it('are read again when a commit came while they were read', async () => {
    const { read } = db.database
    await rename('before')
    const overtaken = cachedUntilCommit(read, 'overtaken', async () => {
      const value = await loginName(read, 'inner')
      await rename('after')
      return value
    })
    expect(await overtaken).toBe('before')
    expect(await cachedUntilCommit(read, 'overtaken', () => loginName(read, 'inner'))).toBe('after')
  })

  it('read every time in transactions, and for keys that are too long', async () => {
    await rename('outside')
    expect(await loginName(db.database.read)).toBe('outside')
    await db.database.transaction(async (tx) => {
      await tx.updateTable('user').set({ login_name: 'inside' }).where('lower_name', '=', 'ann').execute()
      expect(await loginName(tx)).toBe('inside')
    })
    loads = 0
    const key = 'k'.repeat(5000)
    await loginName(db.database.read, key)
    await loginName(db.database.read, key)
    expect(loads).toBe(2)
  })

  it('are loaded once for all who ask at the same time, and again by those who ask after a commit', async () => {
    const { read } = db.database
    await rename('together')
    let begun = 0
    const { promise: first, resolve: begin } = Promise.withResolvers<void>()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const reading = beginReads(read)
    const ask = (): Promise<number> =>
      cachedUntilCommit(read, 'together', async () => {
        const load = ++begun
        begin()
        await gate
        return load
      })
    await reading.during(async () => {
      // Another database of the same PostgreSQL server may commit in between: one request asks it once.
      await loginName(read)
      const asked = [ask(), ask()]
      await first
      await rename('apart')
      const late = ask()
      await expect.poll(() => begun).toBe(2)
      open()
      expect(await Promise.all([...asked, late])).toEqual([1, 1, 2])
      expect(await ask()).toBe(2)
    })
    reading.end()
  })

  it('return what was loaded although concurrent reads evict it', async () => {
    const { read } = db.database
    const reading = beginReads(read)
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    await reading.during(async () => {
      await loginName(read)
      const many = (key: string) => cachedUntilCommit(read, key, async () => Array.from({ length: 5000 }, () => key))
      const slow = (): Promise<string[]> => cachedUntilCommit(read, 'slow', async () => (await gate, many('inner')))
      const asked = slow()
      await many('outer')
      open()
      expect((await asked).length).toBe(5000)
      expect((await slow()).length).toBe(5000)
    })
    reading.end()
  })

  it('are dropped when others with long texts leave no room', async () => {
    const { read } = db.database
    const body = 'x'.repeat(1_000_000)
    const reading = beginReads(read)
    const loaded: number[] = []
    const issue = (number: number) =>
      cachedUntilCommit(read, `issue ${number}`, async () => (loaded.push(number), { number, body }))
    await withSteadySnapshot(db.database, () =>
      reading.during(async () => {
        for (const number of [1, 1, 2, 2, 3, 4, 5, 1]) await issue(number)
      }),
    )
    expect(loaded).toEqual([1, 2, 3, 4, 5, 1])
    reading.end()
  })

  it('keep failures out', async () => {
    const { read } = db.database
    const failing = cachedUntilCommit(read, 'failing', () => Promise.reject(new Error('lost')))
    await expect(failing).rejects.toThrow('lost')
    expect(await cachedUntilCommit(read, 'failing', async () => 'found')).toBe('found')
  })
})

function countQueries(read: Database['read']): { readonly queries: number } {
  const executor = read.getExecutor()
  const original = executor.executeQuery.bind(executor)
  const counted = { queries: 0 }
  Object.assign(executor, {
    executeQuery: (query: CompiledQuery, ...rest: never[]) => {
      if (query.sql.includes('count(*)')) counted.queries++
      return (original as (...all: unknown[]) => unknown)(query, ...rest)
    },
  })
  return counted
}

describeOnBoth('rows cached by their ids', (kind) => {
  let db: TestDatabase
  let ids: number[]
  beforeAll(async () => {
    db = await freshDatabase(kind)
    ids = await db.database.transaction(async (tx) => {
      const made = []
      for (const name of ['ann', 'bob', 'cho'])
        made.push(
          await insertUser(tx, {
            kind: 'individual',
            name,
            lower_name: name,
            email: `${name}@example.test`,
            created_at: 1,
            updated_at: 1,
          }),
        )
      return made
    })
  })
  afterAll(() => db.close())

  const rename = (id: number, to: string): Promise<unknown> =>
    db.database.transaction((tx) => tx.updateTable('user').set({ login_name: to }).where('id', '=', id).execute())
  const namesOf = async (from: Database['read'], wanted: readonly number[], loaded: number[][] = []) => {
    const rows = await cachedByIds(from, 'login names', wanted, async (missing) => {
      loaded.push([...missing])
      return from.selectFrom('user').select(['id', 'login_name']).where('id', 'in', missing).execute()
    })
    return new Map([...rows].map(([id, row]) => [id, row.login_name]))
  }

  it('are shared by lists of other ids until a commit', async () => {
    const { read } = db.database
    const [ann, bob, cho] = ids as [number, number, number]
    await rename(ann, 'a1')
    const loaded: number[][] = []
    const ask = () => beginReads(read).during(() => namesOf(read, [ann, bob, ann], loaded))
    await withSteadySnapshot(db.database, async () => {
      await ask()
      loaded.length = 0
      await ask()
      expect(loaded).toEqual([])
      const names = [
        [bob, ''],
        [cho, ''],
      ] as const
      expect(await beginReads(read).during(() => namesOf(read, [bob, cho, -5], loaded))).toEqual(new Map(names))
      expect(loaded).toEqual([[cho, -5]])
    })
    await rename(ann, 'a2')
    expect((await ask()).get(ann)).toBe('a2')
  })

  it('are read again in a transaction, which sees its own writes', async () => {
    const { read } = db.database
    const [ann] = ids as [number]
    await rename(ann, 'outside')
    expect((await namesOf(read, [ann])).get(ann)).toBe('outside')
    await db.database.transaction(async (tx) => {
      await tx.updateTable('user').set({ login_name: 'inside' }).where('id', '=', ann).execute()
      expect((await namesOf(tx, [ann])).get(ann)).toBe('inside')
      expect((await namesOf(read, [ann])).get(ann)).toBe('outside')
    })
    expect((await namesOf(read, [ann])).get(ann)).toBe('inside')
  })

  it('are not kept when a commit came while they were read', async () => {
    const { read } = db.database
    const [ann] = ids as [number]
    await rename(ann, 'before')
    await cachedByIds(read, 'login names', [ann], async (missing) => {
      const rows = await read.selectFrom('user').select(['id', 'login_name']).where('id', 'in', missing).execute()
      await rename(ann, 'after')
      return rows
    })
    expect((await namesOf(read, [ann])).get(ann)).toBe('after')
  })
})
