import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineQuery } from '../../../src/core/db/prepared-statement.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'

let built = 0

const row = (kind: string, repoId: number) => ({ kind, repo_id: repoId, payload: '{}', created_at: 1 })
type Row = ReturnType<typeof row> & { readonly attempts?: number | undefined }

const insertRow = defineQuery((db, values: Row) => {
  built++
  return db.insertInto('event').values(values).returning(['kind', 'repo_id', 'attempts'])
})
const insertRows = defineQuery((db, { rows }: { rows: readonly Row[] }) => {
  built++
  return db.insertInto('event').values(rows).returning(['kind', 'repo_id', 'attempts'])
})
const kindsOf = defineQuery((db, { repoIds }: { repoIds: readonly number[] }, order: 'kind' | 'id') => {
  built++
  return db.selectFrom('event').select('kind').where('repo_id', 'in', repoIds).orderBy(order)
})
const peeking = defineQuery((db, { id }: { id: number }) =>
  db
    .selectFrom('event')
    .select('id')
    .where('id', '=', id * 2),
)

describeOnBoth('prepared statements', (kind) => {
  let fresh: TestDatabase

  beforeEach(async () => {
    fresh = await freshDatabase(kind)
    built = 0
  })
  afterEach(() => fresh.close())

  const insert = (...names: string[]) =>
    fresh.database.transaction(async (tx) => {
      for (const [index, name] of names.entries()) await insertRow(tx, row(name, index))
    })

  it('are built once and run with the values of each call', async () => {
    const rows = await fresh.database.transaction(async (tx) => [
      await insertRow(tx, row('a', 1)),
      await insertRow(tx, row('b', 2)),
    ])
    expect(rows).toEqual([[{ kind: 'a', repo_id: 1, attempts: 0 }], [{ kind: 'b', repo_id: 2, attempts: 0 }]])
    await insert('c')
    expect(built).toBe(1)
  })

  it('are built again for other members, lengths of lists and shapes', async () => {
    await insert('c', 'b', 'a')
    const { read } = fresh.database
    const given = await fresh.database.transaction((tx) => insertRow(tx, { ...row('x', 9), attempts: 3 }))
    expect(given).toEqual([{ kind: 'x', repo_id: 9, attempts: 3 }])
    expect(await kindsOf(read, { repoIds: [1] }, 'id')).toEqual([{ kind: 'b' }])
    expect(await kindsOf(read, { repoIds: [2] }, 'id')).toEqual([{ kind: 'a' }])
    const both = await kindsOf(read, { repoIds: [0, 2] }, 'id')
    expect(both.map((each) => each.kind)).toEqual(['c', 'a'])
    const sorted = await kindsOf(read, { repoIds: [0, 2] }, 'kind')
    expect(sorted.map((each) => each.kind)).toEqual(['a', 'c'])
    expect(built).toBe(5)
  })

  it('accept lists of rows, and are built again for rows with other members', async () => {
    const insertAll = (...rows: Row[]) => fresh.database.transaction((tx) => insertRows(tx, { rows }))
    for (const name of ['a', 'b'])
      expect(await insertAll(row(name, 1), row(`${name}${name}`, 2))).toEqual([
        { kind: name, repo_id: 1, attempts: 0 },
        { kind: `${name}${name}`, repo_id: 2, attempts: 0 },
      ])
    expect(built).toBe(1)
    await insertAll(row('c', 1))
    expect(await insertAll({ ...row('d', 1), attempts: 3 })).toEqual([{ kind: 'd', repo_id: 1, attempts: 3 }])
    expect(built).toBe(3)
  })

  it('are not kept for long lists', async () => {
    await insert('a')
    const repoIds = Array.from({ length: 100 }, (_, i) => i)
    for (let i = 0; i < 2; i++) expect(await kindsOf(fresh.database.read, { repoIds }, 'id')).toEqual([{ kind: 'a' }])
    expect(built).toBe(3)
  })

  it('refuse to be built from what a value is', async () => {
    await expect(peeking(fresh.database.read, { id: 1 })).rejects.toThrow('inspects its value id')
  })
})
