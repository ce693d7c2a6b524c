import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../../../core/db/database.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { listFollowers } from './recipients.store.ts'
import { countThreads, listThreads, THREAD_STATUSES } from './thread.store.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'
import { startServer, type TestServer } from '../../../../../test/harness/server.ts'
import { type Person, viewerOf } from '../../../../../test/harness/world.ts'

const WATCHERS = 1000

describeOnBoth('notifications of many', (on) => {
  let server: TestServer
  let ann: Person
  let watcherIds: number[]
  beforeAll(async () => {
    server = await startServer({ on })
    ann = await server.world.user('ann')
    const repo = await server.world.repo({ owner: ann, name: 'busy' })
    watcherIds = await server.app.database.transaction((tx) => insertWatchers(tx, repo.id))
  })
  afterAll(() => server.close())

  it('reach every watcher once, in short transactions', async () => {
    const { status } = await ann.client.post('/repos/ann/busy/issues', { title: 'For all' })
    expect(status).toBe(201)
    expect(await countOf()).toBe(100)
    const { database } = server.app
    const transaction = database.transaction.bind(database)
    const written: number[] = []
    Object.assign(database, {
      transaction: (work: (tx: Tx) => Promise<unknown>) =>
        transaction(async (tx) => {
          const before = await countOf(tx)
          const result = await work(tx)
          written.push((await countOf(tx)) - before)
          return result
        }),
    })
    await server.drain()
    Object.assign(database, { transaction })
    expect(await countOf()).toBe(WATCHERS)
    expect(Math.max(...written)).toBe(250)
  })

  it('are written once if the job runs again, and later activity is not changed', async () => {
    const { database, jobs } = server.app
    const { id: issueId } = await database.read.selectFrom('issue').select('id').executeTakeFirstOrThrow()
    await database.transaction(async (tx) => {
      await tx.updateTable('notification').set({ status: 'read' }).execute()
      const { updated_at: at } = await tx.selectFrom('notification').select('updated_at').executeTakeFirstOrThrow()
      await jobs.enqueue(tx, 'notifications.fan_out', { issue_id: issueId, actor_id: ann.user.id, at, after: 0 })
    })
    await server.drain()
    const rows = await database.read
      .selectFrom('notification')
      .select(['user_id', 'status', 'reason'])
      .orderBy('user_id')
      .execute()
    expect(rows.map((row) => row.user_id)).toEqual(watcherIds)
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(['read']))
    expect(new Set(rows.map((row) => row.reason))).toEqual(new Set(['watching']))
  })

  it('of one user are listed and counted by indexes only', async () => {
    const { database } = server.app
    await database.transaction((tx) => insertIssues(tx, ann.user.id))
    const filter = { viewer: viewerOf(ann.user), userId: ann.user.id, statuses: THREAD_STATUSES }
    const page = await listThreads(database.read, filter, { page: 1, limit: 50, offset: 0 })
    expect([page.items.length, page.total]).toEqual([50, 600])
    expect(page.items.map(({ updatedAt }) => updatedAt)).toEqual(page.items.map((_, i) => 600 - i))
    expect(await countThreads(database.read, { ...filter, statuses: ['unread'] })).toBe(200)
    if (on === 'postgres') return
    for (const query of [
      `select id, updated_at from notification where user_id = 1 and status = 'read' order by updated_at desc, id desc limit 50`,
      `select count(*) from notification where user_id = 1 and status in ('unread', 'pinned')`,
      `select count(*) from notification where user_id = 1 and repo_id = 1 and status in ('unread') and kind in ('issue')`,
    ]) {
      const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(query)}`.execute(database.read)
      const plan = rows.map((row) => row.detail).join('\n')
      expect(plan, query).toContain('USING COVERING INDEX')
      expect(plan, query).not.toContain('TEMP B-TREE')
    }
  })

  it('go to followers in the order of their ids, in pages', async () => {
    const { issues, repos, database } = server.app
    const { id } = await database.read.selectFrom('issue').select('id').orderBy('id').executeTakeFirstOrThrow()
    const issue = await issues.getById(asId(id))
    const activity = { issue, repo: await repos.getById(issue.repoId), actorId: ann.user.id }
    const first = await listFollowers(database.read, activity, { after: 0, limit: 3 })
    expect(first).toEqual(watcherIds.slice(0, 3).map((userId) => ({ userId, reason: 'watching' })))
    const next = await listFollowers(database.read, activity, { after: first[2]!.userId, limit: 2 })
    expect(next.map(({ userId }) => userId)).toEqual(watcherIds.slice(3, 5))
  })

  const countOf = async (db: Tx | TestServer['app']['database']['read'] = server.app.database.read): Promise<number> =>
    (
      await db
        .selectFrom('notification')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n
})

async function insertWatchers(tx: Tx, repoId: number): Promise<number[]> {
  const people = Array.from({ length: WATCHERS }, (_, i) => ({
    kind: 'individual' as const,
    name: `watcher${i}`,
    lower_name: `watcher${i}`,
    created_at: 1,
    updated_at: 1,
  }))
  const rows = await tx.insertInto('user').values(people).returning('id').execute()
  const ids = rows.map(({ id }) => id).toSorted((a, b) => a - b)
  const watches = ids.map((user_id) => ({ user_id, repo_id: repoId, mode: 'normal' as const, created_at: 1 }))
  await tx.insertInto('watch').values(watches).execute()
  return ids
}

/** 600 threads of one user, a third of each status, one millisecond apart. */
async function insertIssues(tx: Tx, userId: number): Promise<void> {
  const { repo_id } = await tx.selectFrom('issue').select('repo_id').executeTakeFirstOrThrow()
  const times = Array.from({ length: 600 }, (_, i) => i + 1)
  const issues = times.map((at) => ({
    repo_id,
    number: at + 1,
    poster_id: userId,
    title: 'x',
    created_at: at,
    updated_at: at,
  }))
  const rows = await tx.insertInto('issue').values(issues).returning(['id', 'created_at']).execute()
  await tx
    .insertInto('notification')
    .values(
      rows.map(({ id, created_at: at }) => ({
        user_id: userId,
        repo_id,
        issue_id: id,
        kind: 'issue' as const,
        status: THREAD_STATUSES[at % 3]!,
        reason: 'watching' as const,
        updated_at: at,
      })),
    )
    .execute()
}
