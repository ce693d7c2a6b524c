import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('scheduled tasks', () => {
  let server: TestServer
  let root: Person

  beforeAll(async () => {
    server = await startServer()
    root = await server.world.admin()
  })
  afterAll(() => server.close())

  it('are for site administrators', async () => {
    const ann = await server.world.user('ann')
    expect((await server.anonymous.get('/admin/cron')).status).toBe(401)
    expect((await ann.client.get('/admin/cron')).status).toBe(403)
    expect((await ann.client.post('/admin/cron/delete_old_events')).status).toBe(403)
    expect((await ann.client.post('/admin/cron/no_such_task')).status).toBe(403)
  })

  it('are listed by name in pages, and run on request', async () => {
    const all = await root.client.get('/admin/cron?limit=50')
    const names: string[] = all.json.map((task: { name: string }) => task.name)
    expect(names).toEqual(names.toSorted())
    expect(names.length).toBeGreaterThan(15)
    for (const name of [
      'update_mirrors',
      'repo_health_check',
      'check_repo_stats',
      'archive_cleanup',
      'deleted_branches_cleanup',
      'delete_repo_archives',
      'git_gc_repos',
      'resync_all_hooks',
      'reinit_missing_repos',
      'delete_missing_repos',
      'delete_old_actions',
      'gc_lfs',
    ])
      expect(names).toContain(name)
    expect(all.json.find((task: { name: string }) => task.name === 'resync_all_hooks').next).toBe(
      '0001-01-01T00:00:00Z',
    )
    expect((await root.client.post(`/admin/cron/${names[0]}`)).status).toBe(204)
    expect(all.headers.get('x-total-count')).toBe(String(names.length))
    expect(
      (await root.client.get('/admin/cron?limit=1&page=2')).json.map((task: { name: string }) => task.name),
    ).toEqual([names[1]])
    const find = async () =>
      (await root.client.get('/admin/cron?limit=50')).json.find(
        (task: { name: string }) => task.name === 'delete_old_events',
      )
    expect(await find()).toMatchObject({ schedule: '17 3 * * *', prev: '0001-01-01T00:00:00Z', exec_times: 0 })
    expect((await root.client.post('/admin/cron/delete_old_events')).status).toBe(204)
    const after = await find()
    expect(after.exec_times).toBe(1)
    expect(Date.parse(after.prev)).toBeGreaterThan(0)
    expect(Date.parse(after.next)).toBeGreaterThan(Date.parse(after.prev))
    expect((await root.client.post('/admin/cron/no_such_task')).status).toBe(404)
  })
})
