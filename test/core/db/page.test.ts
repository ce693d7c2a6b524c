import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countRows, cachedPage, selectPage } from '../../../src/core/db/page.ts'
import type { Paging } from '../../../src/core/platform/paging.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']

const windowOf = (page: number, limit: number): Paging => ({ page, limit, offset: (page - 1) * limit })

describeOnBoth('pages of a query', (kind) => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await freshDatabase(kind)
    await opened.database.transaction((tx) =>
      tx
        .insertInto('cron_task')
        .values(NAMES.map((name) => ({ name, runs_count: name === 'e' ? 0 : 1 })))
        .execute(),
    )
  })
  afterAll(() => opened.close())

  /** The page of the tasks that ran, last name first, and how often its total was counted. */
  async function select(paging: Paging): Promise<{ items: readonly string[]; total: number; counts: number }> {
    let counts = 0
    const ran = opened.database.read.selectFrom('cron_task').where('runs_count', '=', 1)
    const count = (): Promise<number> => (counts++, countRows(ran))
    const query = ran.select('name').orderBy('name', 'desc')
    const page = await selectPage(query, paging, (row) => row.name, count)
    expect(await selectPage(query, paging, (row) => row.name)).toEqual(page)
    const load = async (rows: readonly { name: string }[]): Promise<string[]> => rows.map((row) => row.name)
    expect(await cachedPage(opened.database.read, query, { paging, load })).toEqual(page)
    expect(await cachedPage(opened.database.read, query, { paging, load, total: 7 })).toEqual({ ...page, total: 7 })
    return { ...page, counts }
  }

  it.each([
    { title: 'the first of two', page: 1, limit: 3, items: ['d', 'c', 'b'], counts: 1 },
    { title: 'the last, which is not full', page: 2, limit: 3, items: ['a'], counts: 0 },
    { title: 'the last, which is full', page: 2, limit: 2, items: ['b', 'a'], counts: 1 },
    { title: 'one with room for all', page: 1, limit: 5, items: ['d', 'c', 'b', 'a'], counts: 0 },
    { title: 'one behind the end', page: 9, limit: 3, items: [], counts: 1 },
  ])('have the exact total, counted only when the rows do not show it: $title', async ({ page, limit, ...rest }) => {
    expect(await select(windowOf(page, limit))).toEqual({ items: rest.items, total: 4, counts: rest.counts })
  })

  it('are empty without a count when the first page has no rows', async () => {
    const none = opened.database.read.selectFrom('cron_task').selectAll().where('name', '=', 'z').orderBy('name')
    expect(await selectPage(none, windowOf(1, 10), (row) => row)).toEqual({ items: [], total: 0 })
  })

  it('count the rows of joins and of selected expressions', async () => {
    const { read } = opened.database
    const pairs = read
      .selectFrom('cron_task')
      .innerJoin('cron_task as other', 'other.runs_count', 'cron_task.runs_count')
      .select(['cron_task.name', sql<string>`upper(other.name)`.as('upper')])
      .orderBy('cron_task.name')
      .orderBy('other.name')
    const page = await selectPage(pairs, windowOf(1, 2), ({ name, upper }) => `${name}${upper}`)
    expect(page).toEqual({ items: ['aA', 'aB'], total: 17 })
  })
})
