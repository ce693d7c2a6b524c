import { afterAll, beforeAll, expect, it } from 'vitest'
import { wireTime } from '../../src/core/platform/clock.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { createActionsFactory, MADE_AT } from '../harness/actions.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const ROOT = '/repos/ann/r/actions'

describeOnBoth('jobs and tasks', (kind) => {
  let server: TestServer
  let [ann, bob, root] = [] as unknown as [Person, Person, Person]
  let factory: ReturnType<typeof createActionsFactory>
  let repo: Repo
  let runId = 0
  let [build, test, lint] = [0, 0, 0]
  let [first, second] = [0, 0]

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, bob, root] = [await server.world.user('ann'), await server.world.user('bob'), await server.world.admin()]
    repo = await server.world.repo({ owner: ann, name: 'r' })
    factory = createActionsFactory(server.app)
    const made = await factory.run(repo.id, {
      ref: 'refs/pull/4/head',
      event: 'pull_request',
      actorId: ann.user.id,
      jobs: {
        build: { status: 'failure', name: 'Build it / "all"', labels: ['ubuntu', 'x64'] },
        test: { status: 'skipped', needs: ['build'] },
        lint: { status: 'waiting' },
      },
    })
    runId = made.run.id
    ;[build, test, lint] = made.jobs as [number, number, number]
    first = await factory.task(repo.id, build, { attempt: 1, status: 'cancelled', log: ['old\n'] })
    second = await factory.task(repo.id, build, {
      attempt: 2,
      status: 'failure',
      steps: ['Set up', 'Run make'],
      log: Array.from({ length: 40 }, (_, n) => `line ${n}\n`),
    })
  })
  afterAll(() => server.close())

  it('contain all members that clients read', async () => {
    const job = (await ann.client.get(`${ROOT}/jobs/${build}`)).json
    expect(job).toEqual({
      id: build,
      url: `${server.url}/api/v1${ROOT}/jobs/${build}`,
      html_url: `${server.url}/ann/r/actions/runs/${runId}/jobs/${build}`,
      run_id: runId,
      run_url: `${server.url}/api/v1${ROOT}/runs/${runId}`,
      name: 'Build it / "all"',
      labels: ['ubuntu', 'x64'],
      runs_on: ['ubuntu', 'x64'],
      needs: [],
      run_attempt: 2,
      attempt: 2,
      repo_id: repo.id,
      owner_id: ann.user.id,
      task_id: second,
      head_sha: 'a'.repeat(40),
      status: 'completed',
      conclusion: 'failure',
      runner_id: 7,
      runner_name: 'runner 7',
      steps: ['Set up', 'Run make'].map((name, number) => ({
        name,
        number,
        status: 'completed',
        conclusion: 'failure',
        started_at: wireTime(MADE_AT.started),
        completed_at: '1970-01-01T00:00:00Z',
      })),
      created_at: wireTime(MADE_AT.created),
      started_at: wireTime(MADE_AT.started),
      completed_at: wireTime(MADE_AT.stopped),
    })
    const waiting = (await ann.client.get(`${ROOT}/jobs/${lint}`)).json
    expect(waiting).toMatchObject({ run_attempt: 0, status: 'queued', steps: [], labels: [] })
    for (const member of ['runner_id', 'runner_name', 'conclusion']) expect(waiting).not.toHaveProperty(member)
  })

  it('are listed by id, of a run and at every level', async () => {
    for (const path of [`${ROOT}/jobs`, `${ROOT}/runs/${runId}/jobs`, '/user/actions/jobs']) {
      const list = await ann.client.get(path)
      expect(list.json.jobs.map(({ id }: Any) => id)).toEqual([build, test, lint])
      expect([list.json.total_count, list.headers.get('x-total-count')]).toEqual([3, '3'])
      const some = (await ann.client.get(`${path}?status=queued&status=skipped`)).json
      expect(some.jobs.map(({ id }: Any) => id)).toEqual([test, lint])
      const page = await ann.client.get(`${path}?limit=2&page=2`)
      expect(page.json.jobs.map(({ id }: Any) => id)).toEqual([lint])
      const reversed = await ann.client.get(`${path}?sort=id&order=desc`)
      expect(reversed.json.jobs.map(({ id }: Any) => id)).toEqual([lint, test, build])
      for (const query of ['sort=name', 'order=up']) expect((await ann.client.get(`${path}?${query}`)).status).toBe(422)
      expect(page.headers.get('link')).toContain('rel="prev"')
    }
  })

  it('have tasks, one per attempt, newest first', async () => {
    const list = await server.anonymous.get(`${ROOT}/tasks`)
    expect([list.json.total_count, list.headers.get('x-total-count')]).toEqual([2, '2'])
    expect(list.json.workflow_runs.map(({ id, status }: Any) => [id, status])).toEqual([
      [second, 'failure'],
      [first, 'cancelled'],
    ])
    expect(list.json.workflow_runs[0]).toEqual({
      id: second,
      name: 'Build it / "all"',
      head_branch: '#4',
      head_sha: 'a'.repeat(40),
      run_number: 1,
      event: 'pull_request',
      display_title: 'A commit',
      status: 'failure',
      workflow_id: 'ci.yml',
      url: `${server.url}/ann/r/actions/runs/${runId}`,
      created_at: wireTime(MADE_AT.created),
      updated_at: wireTime(MADE_AT.created),
      run_started_at: wireTime(MADE_AT.started),
    })
    expect((await server.anonymous.get(`${ROOT}/tasks?limit=1&page=2`)).json.workflow_runs[0].id).toBe(first)
    expect((await server.anonymous.get(`${ROOT}/tasks?status=running&status=blocked`)).json.total_count).toBe(0)
    expect((await server.anonymous.get(`${ROOT}/tasks?status=queued`)).status).toBe(400)
    const failed = (await server.anonymous.get(`${ROOT}/tasks?status=failure`)).json
    expect(failed.workflow_runs.map(({ id }: Any) => id)).toEqual([second])
  })

  it('have the log of their latest attempt', async () => {
    const log = await ann.client.get(`${ROOT}/jobs/${build}/logs`)
    expect([log.status, log.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(log.text).toBe(Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join(''))
    expect(log.headers.get('content-disposition')).toContain(
      `attachment; filename="ci.yml-Build it / _all_-${second}.log"`,
    )
    for (const id of [test, lint, 999_999]) expect((await ann.client.get(`${ROOT}/jobs/${id}/logs`)).status).toBe(404)
  })

  it('have a log that is stored whole, until it expires', async () => {
    const { jobs } = await factory.run(repo.id)
    const sealed = await server.app.actionsBlobs.put([Buffer.from('stored\n')])
    const task = await factory.task(repo.id, jobs[0]!, { sealed })
    const path = `${ROOT}/jobs/${jobs[0]}/logs`
    expect((await ann.client.get(path)).text).toBe('stored\n')
    expect((await root.client.post('/admin/cron/cleanup_actions')).status).toBe(204)
    await server.drain()
    expect((await ann.client.get(path)).status).toBe(404)
    expect((await ann.client.get(`${ROOT}/jobs/${build}/logs`)).status).toBe(404)
    expect(await server.app.actionsBlobs.size(sealed.hash)).toBeUndefined()
    expect((await ann.client.get(`${ROOT}/tasks`)).json.workflow_runs[0].id).toBe(task)
  })

  it('are for signed-in users who may read the unit', async () => {
    for (const path of [`${ROOT}/jobs/${build}`, `${ROOT}/jobs/${build}/logs`]) {
      expect((await server.anonymous.get(path)).status).toBe(401)
      expect((await (await bob.withToken('read:user')).get(path)).status).toBe(403)
    }
    expect((await bob.client.get(`${ROOT}/jobs/${build}`)).status).toBe(200)
    const other = await server.world.repo({ owner: ann, name: 'other' })
    expect((await ann.client.get(`/repos/ann/${other.name}/actions/jobs/${build}`)).status).toBe(404)
    expect((await ann.client.get(`/repos/ann/${other.name}/actions/jobs/${build}/logs`)).status).toBe(404)
  })
})
