import { afterAll, beforeAll, expect, it } from 'vitest'
import { git } from '../core/git/wire/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'

let server: TestServer
let now = Date.now()

beforeAll(async () => {
  server = await startServer({ clock: { now: () => now } })
})
afterAll(() => server.close())

it('repairs rows after a crash between refs and database, then packs and measures the repository', async () => {
  const alice = await server.world.user('alice')
  const repo = await server.world.repo({ owner: alice, name: 'one', autoInit: true })
  await git(server.app.git.path(repo.storage), ['branch', 'extra', 'main'])
  await server.app.background.schedule.run('check_repo_rows')
  await server.drain()
  const { read } = server.app.database
  const branches = await read
    .selectFrom('branch')
    .select(['name'])
    .where('repo_id', '=', repo.id)
    .orderBy('name')
    .execute()
  expect(branches.map((row) => row.name)).toEqual(['extra', 'main'])

  now += 11_000
  await server.drain()
  const row = await read.selectFrom('repo').selectAll().where('id', '=', repo.id).executeTakeFirstOrThrow()
  expect(row.branches_count).toBe(2)
  expect(row.git_size).toBeGreaterThan(0)
  expect(await read.selectFrom('job').selectAll().execute()).toEqual([])
})
