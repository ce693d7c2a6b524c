import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import type { Database } from '../../../src/core/db/database.ts'
import { defineQuery } from '../../../src/core/db/prepared-statement.ts'
import { listRepos } from '../../../src/domains/repositories/repos/lists/repo-list.store.ts'
import { listFollowers } from '../../../src/domains/accounts/users/follows/follow.store.ts'
import { listUsers } from '../../../src/domains/accounts/users/user-list.store.ts'
import { findUserByName } from '../../../src/domains/accounts/users/user.store.ts'
import { freshDatabase, type TestDatabase } from '../../harness/databases.ts'
import { MEASURED } from '../../harness/measured.ts'
import { viewerOf } from '../../harness/world.ts'

interface Prepared {
  readonly statement: string
}

const backend = defineQuery((db, { value }: { value: number }) =>
  db.selectNoFrom([sql<number>`pg_backend_pid()`.as('pid'), sql`${value}::text`.as('value')]),
)

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

  it('and writes are not compiled by JIT, whatever their estimated cost', async () => {
    const { read, write, noTimeout } = database.connections
    for (const connection of [read, write, noTimeout])
      expect((await sql<{ jit: string }>`show jit`.execute(connection)).rows).toEqual([{ jit: 'off' }])
  })

  it('and writes are planned for pages in memory or on a disk without moving heads', async () => {
    const { read, write, noTimeout } = database.connections
    for (const connection of [read, write, noTimeout])
      expect((await sql`show random_page_cost`.execute(connection)).rows).toEqual([{ random_page_cost: '1.1' }])
  })

  it('of pages of accounts and repositories are planned once, not at each execution', async () => {
    const { read } = database
    // As many rows as make it worth planning for the values of each execution.
    await database.transaction(async (tx) => {
      await sql`insert into "user" (kind, name, lower_name, created_at, updated_at)
        select 'individual', 'u' || n, 'u' || n, n, n from generate_series(1, 1000) as n`.execute(tx)
      await sql`insert into repo (owner_id, name, lower_name, default_branch, wiki_branch, object_format, storage, units, created_at, updated_at)
        select id, 'r', 'r', 'main', 'main', 'sha1', 'r' || id, 0, 1, 1 from "user"`.execute(tx)
      await sql`insert into follow (user_id, followed_id, created_at)
        select id, (select min(id) from "user" where id > 0), 1 from "user"`.execute(tx)
    })
    await sql`analyze`.execute(database.connections.noTimeout)
    const ann = (await findUserByName(read, 'u1'))!
    const { id } = ann
    const paging = { page: 1, limit: 10, offset: 0 }
    const visible = { visibilities: ['public', 'limited'], self: id } as const
    for (let i = 0; i < 12; i++) {
      await listRepos(read, viewerOf(ann), { filter: { relatedTo: id }, order: { by: 'id', direction: 'asc' } }, paging)
      await listUsers(read, {}, visible, paging)
      await listFollowers(read, id, visible, paging)
    }
    const { rows } = await sql<Prepared & { custom: number }>`
      select statement, custom_plans as custom from pg_prepared_statements`.execute(read)
    const pages = rows.filter(({ statement }) => / limit 10 /.test(statement))
    expect(new Set(pages.map(({ statement }) => /from "(\w+)"/.exec(statement)![1]))).toEqual(
      new Set(['follow', 'repo', 'user']),
    )
    // PostgreSQL plans the first five anew in any case.
    for (const { statement, custom } of pages) expect(custom, statement).toBeLessThanOrEqual(5)
  })

  it('of a few rows by their ids are planned once', async () => {
    const { read } = database
    const users = await read.selectFrom('user').select('id').orderBy('id').limit(3).execute()
    const ids = users.map(({ id }) => id)
    for (let i = 0; i < 12; i++) {
      const query = read.selectFrom('user').select('id').where('id', 'in', ids).orderBy('id')
      expect(await query.execute()).toEqual(users)
    }
    const { rows } = await sql<{ custom: number }>`select custom_plans as custom from pg_prepared_statements
      where statement like ${'select "id" from "user" where "id" = any(%'}`.execute(read)
    expect(rows).toEqual([{ custom: 5 }])
  })

  it('of one turn share a connection if they are look-ups', async () => {
    const found = await Promise.all([1, 2, 3].map((value) => backend(database.read, { value })))
    expect(new Set(found.map(([row]) => row!.pid)).size).toBe(1)
  })

  it('ask for the columns of a statement once, whatever their values are', async () => {
    const described = vi.spyOn(pg.Connection.prototype, 'describe')
    const read = async (value: string | null): Promise<unknown> =>
      (
        await sql`select ${value}::text as value, 1.5::float8 as real, 7::bigint as large, true as yes,
          array['x'] as list, null::integer as nothing where ${value}::text is distinct from 'none'`.execute(
          database.read,
        )
      ).rows
    const row = (value: string | null) => [{ value, real: 1.5, large: 7, yes: true, list: ['x'], nothing: null }]
    for (let i = 0; i < 3; i++) await read('first')
    described.mockClear()
    expect(await read('ä\n')).toEqual(row('ä\n'))
    expect(await read(null)).toEqual(row(null))
    expect(await read('none')).toEqual([])
    expect(described).not.toHaveBeenCalled()
    described.mockRestore()
  })

  it('find out that a pooler has prepared a statement again, with other columns', async () => {
    const pair = async (): Promise<unknown> =>
      (await sql`select ${'x'}::text as one, 'pair' as two`.execute(database.read)).rows
    for (let i = 0; i < 3; i++) await pair()
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements
      where statement like ${"%'pair' as two"}`.execute(database.read)
    const name = sql.raw(rows[0]!.name)
    await sql`deallocate ${name}`.execute(database.read)
    await sql`prepare ${name} (text) as select 0 as added, $1::text as one, 'pair' as two`.execute(database.read)
    expect(await pair()).toEqual([{ one: 'x', two: 'pair' }])
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
