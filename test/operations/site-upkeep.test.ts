import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Logger } from '../../src/core/platform/logger.ts'
import { git, until } from '../core/git/wire/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const DAY_MS = 24 * 60 * 60_000
const lines: Record<string, unknown>[] = []
let server: TestServer
let ann: Person
let now = Date.now()

beforeAll(async () => {
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  ) as unknown as Logger
  server = await startServer({ log, clock: { now: () => now } })
  ann = await server.world.user('ann')
})
afterAll(() => server.close())

const run = async (task: string): Promise<void> => {
  await server.app.background.schedule.run(task)
  await server.drain()
}

it('recounts wrong counters', async () => {
  const repo = await server.world.repo({ owner: ann, name: 'counted' })
  await server.app.database.transaction(async (tx) => {
    await tx.updateTable('repo').set({ watchers_count: 7 }).where('id', '=', repo.id).execute()
  })
  await run('check_repo_stats')
  expect((await ann.client.get('/repos/ann/counted')).json.watchers_count).toBe(1)
  expect(lines.map(({ msg }) => msg)).toContain('recounted wrong counters')
})

it('repacks repositories, and those with a deleted branch after its retention time', async () => {
  const repo = await server.world.repo({ owner: ann, name: 'packed', autoInit: true })
  const path = server.app.git.path(repo.storage)
  const packs = async (): Promise<number> => Number(/packs: (\d+)/.exec(await git(path, ['count-objects', '-v']))![1])
  expect(await packs()).toBe(0)
  await ann.client.post('/repos/ann/packed/branches', { new_branch_name: 'gone' })
  await ann.client.delete('/repos/ann/packed/branches/gone')
  await run('deleted_branches_cleanup')
  expect(await packs()).toBe(0)
  now += 15.5 * DAY_MS
  await server.app.background.schedule.run('deleted_branches_cleanup')
  await server.drain()
  expect(await packs()).toBe(1)
  const other = await server.world.repo({ owner: ann, name: 'other', autoInit: true })
  await run('git_gc_repos')
  expect(await git(server.app.git.path(other.storage), ['count-objects', '-v'])).toContain('packs: 1')
})

it('deletes archives that are a day old', async () => {
  await server.world.repo({ owner: ann, name: 'archived', autoInit: true })
  const archives = join(server.dataDir, 'cache', 'archives')
  await (await fetch(`${server.url}/api/v1/repos/ann/archived/archive/main.zip`)).arrayBuffer()
  await until('the archive is kept', () => readdirSync(archives).length > 0)
  await run('archive_cleanup')
  expect(readdirSync(archives).length).toBeGreaterThan(0)
  now += 1.1 * DAY_MS
  await run('archive_cleanup')
  await until('the archive is gone', () => readdirSync(archives).length === 0)
})

it('deletes events and activities more than a year old', async () => {
  const feed = async (): Promise<string[]> =>
    (await ann.client.get('/users/ann/activities/feeds')).json.map(
      ({ op_type, repo }: { op_type: string; repo: { name: string } }) => `${op_type} ${repo.name}`,
    )
  await run('delete_old_actions')
  expect((await feed()).length).toBeGreaterThan(1)
  now += 401 * DAY_MS
  await server.world.repo({ owner: ann, name: 'recent' })
  await server.app.background.schedule.run('delete_old_actions')
  await server.drain()
  expect(await feed()).toEqual(['create_repo recent'])
})

it('deletes repositories whose files are missing, unless most of them are', async () => {
  const gone = await server.world.repo({ owner: ann, name: 'gone', autoInit: true })
  rmSync(server.app.git.path(gone.storage), { recursive: true })
  await run('delete_missing_repos')
  expect((await ann.client.get('/repos/ann/gone')).status).toBe(404)
  expect((await ann.client.get('/repos/ann/counted')).status).toBe(200)
  const moved = join(server.dataDir, 'moved')
  const repos = join(server.app.git.path(gone.storage), '..', '..')
  renameSync(repos, moved)
  try {
    lines.length = 0
    await run('delete_missing_repos')
    expect(lines.map(({ msg }) => msg)).toEqual(['most repositories have no git data; nothing was deleted'])
    expect((await ann.client.get('/repos/ann/counted')).status).toBe(200)
  } finally {
    rmSync(repos, { recursive: true, force: true })
    renameSync(moved, repos)
  }
})

it('reports a damaged repository and continues', async () => {
  const [broken, lost] = [
    await server.world.repo({ owner: ann, name: 'broken', autoInit: true }),
    await server.world.repo({ owner: ann, name: 'lost', autoInit: true }),
  ]
  const path = server.app.git.path(broken.storage)
  const tree = await git(path, ['rev-parse', 'HEAD^{tree}'])
  rmSync(join(path, 'objects', tree.slice(0, 2), tree.slice(2)))
  rmSync(server.app.git.path(lost.storage), { recursive: true })
  lines.length = 0
  await run('repo_health_check')
  expect(lines.map(({ msg, repo }) => [msg, repo])).toEqual([
    ['git fsck found damage in a repository', broken.id],
    ['repository not checked', lost.id],
  ])
})

it('repairs on request of administrators, and never on schedule', async () => {
  const repo = await server.world.repo({ owner: ann, name: 'mended', autoInit: true, license: 'MIT' })
  const path = server.app.git.path(repo.storage)
  const licenses = async () => (await ann.client.get('/repos/ann/mended')).json.licenses
  await server.app.database.transaction(
    async (tx) => void (await tx.updateTable('repo').set({ licenses: '[]' }).where('id', '=', repo.id).execute()),
  )
  await run('sync_repo_licenses')
  expect(await licenses()).toEqual(['MIT'])

  mkdirSync(join(path, 'hooks'))
  writeFileSync(join(path, 'hooks', 'post-update'), '#!/bin/sh\n')
  await run('resync_all_hooks')
  expect(existsSync(join(path, 'hooks'))).toBe(false)

  const archives = join(server.dataDir, 'cache', 'archives')
  const archive = await fetch(`${server.url}/api/v1/repos/ann/mended/archive/main.zip`)
  // Read to its end: what is still being made is not thrown away.
  expect([archive.status, (await archive.arrayBuffer()).byteLength > 0]).toEqual([200, true])
  expect(readdirSync(archives).length).toBeGreaterThan(0)
  await run('delete_repo_archives')
  await until('the archives are gone', () => readdirSync(archives).length === 0)

  rmSync(path, { recursive: true })
  await run('reinit_missing_repos')
  expect(await git(path, ['rev-parse', '--is-bare-repository'])).toContain('true')
  expect((await ann.client.get('/repos/ann/mended/branches')).json).toEqual([])

  const off = (await server.app.background.schedule.list())
    .filter(({ nextRunAt }) => nextRunAt === 0)
    .map(({ name }) => name)
  expect(off).toEqual([
    'delete_missing_repos',
    'delete_old_actions',
    'delete_repo_archives',
    'reinit_missing_repos',
    'resync_all_hooks',
    'sync_repo_licenses',
  ])
})
