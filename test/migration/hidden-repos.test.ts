import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runChecks } from '../../src/app/doctor.ts'
import { unavailable } from '../../src/core/platform/errors.ts'
import { until } from '../core/git/wire/client.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { answers } from './forge-world.ts'
import { storedRepos } from './import-world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const API = 'GET /api/v1/repos/o/app'
const TIMELINE = `${API}/issues/1/timeline?page=1&limit=50`
const COMMENTS = `${API}/issues/comments?page=1&limit=50`

describeOnBoth('a repository that is being imported', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let root: Person
  let reached: PromiseWithResolvers<void>
  let proceed: () => void
  let isDown = false

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('o/app')
    await upstream.commit('o/app', 'main.ts')
    await upstream.run('o/app', 'push', '-q', 'origin', 'HEAD:refs/pull/2/head')
    target = await startServer({
      on: kind,
      settings: { 'metrics.enabled': 'true', 'quota.enabled': 'true' },
      tuning: {
        jobInterval: 50,
        importSleep: async () => {
          if (isDown) throw unavailable('the database is away')
        },
      },
    })
    target.app.background.start()
    tom = await target.world.user('tom')
    root = await target.world.admin()
    await target.world.repo({ owner: tom, name: 'own', autoInit: true })
  })
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })
  beforeEach(() => {
    reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    proceed = gate.resolve
    isDown = false
    const { routes } = upstream
    routes.clear()
    routes.set(API, answers({ description: 'd', topics: ['t'] }))
    routes.set(`${API}/labels?page=1&limit=50`, answers([{ name: 'bug', color: 'ff0000' }], { 'x-total-count': '1' }))
    const item = { id: 7, title: 'needle', body: 'haystack', state: 'open', user: { id: 1, login: 'ann' } }
    routes.set(
      `${API}/issues?state=all&type=issues&sort=oldest&page=1&limit=50`,
      answers([{ ...item, number: 1, labels: [{ name: 'bug' }] }], { 'x-total-count': '1' }),
    )
    const pull = { ...item, number: 2, base: { ref: 'main' }, head: { ref: 'side' } }
    routes.set(`${API}/pulls?state=all&sort=oldest&page=1&limit=50`, answers([pull], { 'x-total-count': '1' }))
    routes.set(COMMENTS, async (incoming, response) => {
      reached.resolve()
      await gate.promise
      answers([{ id: 1, issue_url: 'x/issues/1', body: 'c' }], { 'x-total-count': '1' })(incoming, response)
    })
  })

  const start = async (name: string): Promise<number> => {
    const answer = await tom.client.post('/repos/migrate?async=true', {
      clone_addr: `${upstream.url}/o/app.git`,
      repo_name: name,
      service: 'gitea',
      labels: true,
      issues: true,
      pull_requests: true,
    })
    expect(answer.status).toBe(202)
    return answer.json.id
  }
  const stateOf = async (id: number): Promise<Any> => (await tom.client.get(`/repos/migrations/${id}`)).json
  const ended = async (id: number): Promise<Any> => {
    await until('the import to end', async () => (await stateOf(id)).state !== 'running', 30_000)
    return stateOf(id)
  }
  const jobsDone = (...but: string[]) =>
    until(
      'the jobs to end',
      async () =>
        (await target.app.database.read.selectFrom('job').select(['kind', 'state']).execute()).every(
          (job) => job.state === 'dead' || but.includes(job.kind),
        ),
      60_000,
    )
  const numbers = async (): Promise<string[]> =>
    (await target.anonymous.get('//metrics')).text
      .split('\n')
      .filter((line) => /^ingot_(repositor|issues|pull|milestones|releases|comments|labels|users)/.test(line))
  const findings = async (): Promise<string[]> => {
    const found: string[] = []
    for await (const each of runChecks(target.app.checks, { fix: false, quick: false }))
      found.push(...each.findings.map(({ what }) => what))
    return found
  }
  const usage = async (): Promise<Any> => (await tom.client.get('/user/quota')).json.used
  const runTasks = async (): Promise<void> => {
    for (const { name } of (await root.client.get('/admin/cron?limit=100')).json as Any[])
      expect([name, (await root.client.post(`/admin/cron/${name}`)).status]).toEqual([name, 204])
    await jobsDone('imports.run')
  }

  it('is not counted, and is ignored by scheduled tasks and by the doctor', async () => {
    await runTasks()
    const before = [await numbers(), await usage(), await findings()]
    expect(before[0].length).toBeGreaterThan(5)
    const id = await start('busy')
    await reached.promise
    expect(await stateOf(id)).toMatchObject({ state: 'running', done: { issues: 1, pulls: 1 } })
    await runTasks()
    expect([await numbers(), await usage(), await findings()]).toEqual(before)
    proceed()
    expect(await ended(id)).toMatchObject({ state: 'done', warnings: [] })
    const repo = (await tom.client.get('/repos/tom/busy')).json
    expect(repo).toMatchObject({ open_issues_count: 1, open_pr_counter: 1, topics: ['t'] })
    expect((await tom.client.get('/repos/tom/busy/pulls/2')).json).toMatchObject({
      head: { sha: await upstream.run('o/app', 'rev-parse', 'HEAD') },
    })
    expect((await tom.client.get('/repos/tom/busy/issues/1')).json).toMatchObject({ comments: 1 })
    await jobsDone()
    expect(await findings()).toEqual(before[2])
    expect((await tom.client.get('/repos/tom/busy/languages')).json).toEqual({ TypeScript: 8 })
  })

  it('is deleted when its job fails for the last time, and the import has failed', async () => {
    const before = storedRepos(target)
    const id = await start('dying')
    await reached.promise
    isDown = true
    upstream.routes.set(COMMENTS, (_, response) => void response.writeHead(503).end())
    proceed()
    upstream.routes.set(TIMELINE, (_, response) => void response.writeHead(503).end())
    const job = async () => (await rows(target, 'job', { kind: 'imports.run', key: String(id) }))[0]!
    await until('the job to fail', async () => (await job()).last_error !== '', 30_000)
    expect(await stateOf(id)).toMatchObject({ state: 'running' })
    await target.app.database.transaction((tx) =>
      tx.updateTable('job').set({ attempts: 9, run_at: 0 }).where('kind', '=', 'imports.run').execute(),
    )
    expect(await ended(id)).toMatchObject({ state: 'failed', error: 'the database is away', repo_id: null })
    expect(await job()).toMatchObject({ state: 'dead' })
    expect(storedRepos(target)).toEqual(before)
    expect(await rows(target, 'repo', { owner_id: -3 })).toEqual([])
    isDown = false
    for (const route of [COMMENTS, TIMELINE]) upstream.routes.delete(route)
    expect(await ended(await start('dying'))).toMatchObject({ state: 'done' })
  })

  it('is deleted by a scheduled task if its job no longer exists', async () => {
    const before = storedRepos(target)
    isDown = true
    upstream.routes.set(COMMENTS, (_, response) => void response.writeHead(503).end())
    const id = await start('lost')
    await until('the job to fail', async () => (await rows(target, 'job', { key: String(id) }))[0]?.last_error !== '')
    expect(await rows(target, 'repo', { owner_id: -3 })).toHaveLength(1)
    await target.app.database.transaction((tx) =>
      tx.updateTable('job').set({ state: 'dead' }).where('kind', '=', 'imports.run').execute(),
    )
    expect(await stateOf(id)).toMatchObject({ state: 'running' })
    expect((await root.client.post('/admin/cron/delete_lost_imports')).status).toBe(204)
    expect(await ended(id)).toMatchObject({ state: 'failed', repo_id: null })
    expect(storedRepos(target)).toEqual(before)
    expect(await rows(target, 'repo', { owner_id: -3 })).toEqual([])
    expect(await rows(target, 'issue', { title: 'needle' })).toHaveLength(4)
  })
})
