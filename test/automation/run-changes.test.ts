import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { createActionsFactory } from '../harness/actions.ts'
import type { Any, Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const RUNS = '/repos/ann/r/actions/runs'

describeOnBoth('changing runs', (kind) => {
  let server: TestServer
  let [ann, reader, writer] = [] as unknown as [Person, Person, Person]
  let factory: ReturnType<typeof createActionsFactory>
  let repo: Repo

  beforeAll(async () => {
    server = await startServer({ on: kind })
    const { world } = server
    ;[ann, reader, writer] = [await world.user('ann'), await world.user('reader'), await world.user('writer')]
    repo = await world.repo({ owner: ann, name: 'r' })
    for (const [person, permission] of [
      [reader, 'read'],
      [writer, 'write'],
    ] as const)
      await ann.client.put(`/repos/ann/r/collaborators/${person.name}`, { permission })
    factory = createActionsFactory(server.app)
  })
  afterAll(() => server.close())

  const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status
  const statesOf = async (run: number): Promise<Record<string, string>> => {
    const jobs = await rows(server, 'action_job', { run_id: run })
    return Object.fromEntries(jobs.map(({ key, status: state }) => [key, state]))
  }
  const queues = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await rows(server, 'action_queue')).map((row) => [
        row.repo_id !== null ? 'repo' : row.owner_id !== null ? 'owner' : 'site',
        row.version,
      ]),
    )
  const failedRun = () =>
    factory.run(repo.id, {
      jobs: {
        build: { status: 'success' },
        test: { status: 'failure', needs: ['build'] },
        deploy: { status: 'skipped', needs: ['test'] },
        lint: { status: 'success' },
      },
    })

  it('reruns all jobs; jobs wait for the jobs that they need', async () => {
    const { run, jobs } = await failedRun()
    await factory.task(repo.id, jobs[0]!, { log: ['before\n'] })
    const again = await writer.client.post(`${RUNS}/${run.id}/rerun`)
    expect(again.status).toBe(201)
    expect(again.json).toMatchObject({
      id: run.id,
      status: 'queued',
      started_at: '1970-01-01T00:00:00Z',
      completed_at: '1970-01-01T00:00:00Z',
    })
    expect(again.json).toEqual((await writer.client.get(`${RUNS}/${run.id}`)).json)
    expect(await statesOf(run.id)).toEqual({ build: 'waiting', test: 'blocked', deploy: 'blocked', lint: 'waiting' })
    const job = (await ann.client.get(`/repos/ann/r/actions/jobs/${jobs[0]}`)).json
    expect(job).toMatchObject({ run_attempt: 1, status: 'queued', steps: [] })
    expect(job).not.toHaveProperty('runner_id')
    expect(await status(ann.client.get(`/repos/ann/r/actions/jobs/${jobs[0]}/logs`))).toBe(404)
    expect((await ann.client.get('/repos/ann/r/actions/tasks')).json.total_count).toBe(1)
  })

  it('reruns the failed jobs, with the jobs that need them', async () => {
    const { run } = await failedRun()
    const answer = await writer.client.post(`${RUNS}/${run.id}/rerun-failed-jobs`)
    expect([answer.status, answer.json.id, answer.json.status]).toEqual([201, run.id, 'queued'])
    expect(await statesOf(run.id)).toEqual({ build: 'success', test: 'waiting', deploy: 'blocked', lint: 'success' })
    const fine = await factory.run(repo.id)
    const before = await queues()
    expect(await status(writer.client.post(`${RUNS}/${fine.run.id}/rerun-failed-jobs`))).toBe(201)
    expect(await statesOf(fine.run.id)).toEqual({ build: 'success' })
    expect(await queues()).toEqual(before)
  })

  it('reruns one job, with the jobs that need it', async () => {
    const { run, jobs } = await failedRun()
    const answer = await writer.client.post(`${RUNS}/${run.id}/jobs/${jobs[1]}/rerun`)
    expect([answer.status, answer.json.id, answer.json.status]).toEqual([201, jobs[1], 'queued'])
    expect(await statesOf(run.id)).toEqual({ build: 'success', test: 'waiting', deploy: 'blocked', lint: 'success' })
    const other = await failedRun()
    for (const job of [jobs[1], 999_999, 'x'])
      expect(await status(writer.client.post(`${RUNS}/${other.run.id}/jobs/${job}/rerun`))).toBe(404)
  })

  it('shows runners of the site, the owner and the repository that jobs wait', async () => {
    const { run } = await failedRun()
    const before = await queues()
    expect(await status(writer.client.post(`${RUNS}/${run.id}/rerun`))).toBe(201)
    expect(await queues()).toEqual({
      site: before['site']! + 1,
      owner: before['owner']! + 1,
      repo: before['repo']! + 1,
    })
  })

  it.each(['waiting', 'blocked', 'running'] as const)('refuses a run with a job that is %s', async (state) => {
    const { run, jobs } = await factory.run(repo.id, { jobs: { a: { status: 'cancelled' }, b: { status: state } } })
    const one = `${RUNS}/${run.id}`
    for (const call of [
      writer.client.delete(one),
      writer.client.post(`${one}/rerun`),
      writer.client.post(`${one}/rerun-failed-jobs`),
      writer.client.post(`${one}/jobs/${jobs[0]}/rerun`),
    ]) {
      const answer = await call
      expect([answer.status, answer.json.message]).toEqual([400, 'this workflow run is not done'])
    }
    expect(await statesOf(run.id)).toEqual({ a: 'cancelled', b: state })
  })

  it('reruns once for several concurrent requests', async () => {
    const { run } = await failedRun()
    const codes = await Promise.all([1, 2, 3].map(() => status(writer.client.post(`${RUNS}/${run.id}/rerun`))))
    expect(codes.toSorted((a, b) => a - b)).toEqual([201, 400, 400])
  })

  it('deletes a run with its jobs, tasks, logs and stored files', async () => {
    const { actionsBlobs } = server.app
    const { run, jobs } = await failedRun()
    const kept = await failedRun()
    const [own, both] = [
      await actionsBlobs.put([Buffer.from('log of one run')]),
      await actionsBlobs.put([Buffer.from('log of two runs')]),
    ]
    const task = await factory.task(repo.id, jobs[0]!, { sealed: own, steps: ['a'], log: ['a\n'] })
    await factory.task(repo.id, jobs[1]!, { sealed: both })
    await factory.task(repo.id, kept.jobs[1]!, { sealed: both })
    expect(await status(writer.client.delete(`${RUNS}/${run.id}`))).toBe(204)
    expect(await status(ann.client.get(`${RUNS}/${run.id}`))).toBe(404)
    expect(await status(writer.client.delete(`${RUNS}/${run.id}`))).toBe(404)
    const [entry] = (await rows(server, 'audit_entry', { action: 'run.deleted' })).slice(-1)
    expect(JSON.parse(entry!.details)).toMatchObject({ run_id: run.id, number: run.number })
    expect(await rows(server, 'action_job', { run_id: run.id })).toEqual([])
    for (const table of ['action_step', 'action_log'] as const)
      expect(await rows(server, table, { task_id: task })).toEqual([])
    await server.drain()
    expect(await actionsBlobs.size(own.hash)).toBeUndefined()
    expect(await actionsBlobs.size(both.hash)).toBe(both.size)
    const next = await failedRun()
    expect(next.run.number).toBe(kept.run.number + 1)
  })

  it('never assigns a number twice, even after the deletion of the last run and for concurrent runs', async () => {
    const { run } = await failedRun()
    expect(await status(writer.client.delete(`${RUNS}/${run.id}`))).toBe(204)
    const made = await Promise.all([1, 2, 3, 4].map(failedRun))
    const numbers = made.map((one) => one.run.number).toSorted((a, b) => a - b)
    expect(numbers).toEqual([1, 2, 3, 4].map((n) => run.number + n))
  })

  it('is for accounts that may write the unit', async () => {
    const { run, jobs } = await failedRun()
    const one = `${RUNS}/${run.id}`
    const calls = (client: Client): Promise<Any>[] => [
      client.post(`${one}/rerun`),
      client.post(`${one}/rerun-failed-jobs`),
      client.post(`${one}/jobs/${jobs[0]}/rerun`),
      client.delete(one),
    ]
    expect(await Promise.all(calls(server.anonymous).map(status))).toEqual([401, 401, 401, 401])
    expect(await Promise.all(calls(reader.client).map(status))).toEqual([403, 403, 403, 403])
    const token = await writer.withToken('read:repository')
    expect(await Promise.all(calls(token).map(status))).toEqual([403, 403, 403, 403])
    await ann.client.patch('/repos/ann/r', { archived: true })
    const archived = await Promise.all(calls(writer.client))
    expect(archived.map((answer) => answer.status)).toEqual([423, 423, 423, 423])
    expect(archived[0].json.message).toBe('ann/r is archived')
    await ann.client.patch('/repos/ann/r', { archived: false })
    await ann.client.patch('/repos/ann/r', { has_actions: false })
    expect(await Promise.all(calls(writer.client).map(status))).toEqual([403, 403, 403, 403])
    await ann.client.patch('/repos/ann/r', { has_actions: true })
    const other = await server.world.repo({ owner: writer, name: 'own' })
    expect(await status(writer.client.delete(`/repos/writer/${other.name}/actions/runs/${run.id}`))).toBe(404)
  })

  it('deletes the rows and files of a deleted repository', async () => {
    const gone = await server.world.repo({ owner: ann, name: 'gone' })
    const { run, jobs } = await factory.run(gone.id)
    const stored = await server.app.actionsBlobs.put([Buffer.from('of a deleted repository')])
    await factory.task(gone.id, jobs[0]!, { sealed: stored, log: ['x\n'], steps: ['y'] })
    expect(await status(ann.client.delete('/repos/ann/gone'))).toBe(204)
    expect(await rows(server, 'action_run', { id: run.id })).toEqual([])
    for (const table of ['action_job', 'action_task', 'action_repo', 'action_queue'] as const)
      expect(await rows(server, table, { repo_id: gone.id })).toEqual([])
    await server.drain()
    expect(await server.app.actionsBlobs.size(stored.hash)).toBeUndefined()
  })
})
