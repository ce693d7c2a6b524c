import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Run } from '../../src/domains/automation/index.ts'
import { accessibilityProblems } from '../harness/accessible.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { startJob } from '../harness/artifacts.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { registerRunner } from '../harness/runner.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

interface Job {
  readonly jobId: number
  readonly taskId: number
  readonly token: string
}

describeOnBoth('summaries of steps', (on) => {
  let server: TestServer
  let ann: Person
  let run: Run
  let [build, test] = [] as unknown as [Job, Job]

  beforeAll(async () => {
    server = await startServer({ on })
    ann = await server.world.user('ann')
    const { id } = await server.world.repo({ owner: ann, name: 'boat' })
    const factory = createActionsFactory(server.app)
    const made = await factory.run(id, { jobs: { build: { status: 'success' }, test: { status: 'success' } } })
    run = made.run
    const start = async (jobId: number): Promise<Job> => {
      const taskId = await factory.task(id, jobId, { status: 'running' })
      await server.app.database.transaction((tx) =>
        tx.updateTable('action_job').set({ task_id: taskId }).where('id', '=', jobId).execute(),
      )
      return { jobId, taskId, token: server.app.taskTokens.issueRuntimeToken({ id: taskId, jobId, runId: run.id }) }
    }
    ;[build, test] = [await start(made.jobs[0]!), await start(made.jobs[1]!)]
  })
  afterAll(() => server.close())

  const send = async (by: Job, path: string, body: string, headers = {}): Promise<number> => {
    const answer = await fetch(`${server.url}/api/actions_pipeline/_apis/pipelines/workflows/${path}/summary`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${by.token}`, 'content-type': 'text/markdown; charset=utf-8', ...headers },
      body,
    })
    await answer.text()
    return answer.status
  }
  const stepOf = (by: Job, step: number | string): string => `${run.id}/jobs/${by.jobId}/steps/${step}`
  const page = async (): Promise<string> => {
    const text = await (await fetch(`${server.url}/ann/boat/actions/runs/${run.id}`)).text()
    expect(await accessibilityProblems(text)).toEqual([])
    return text
  }

  it('are announced to runners that declare themselves', async () => {
    const { token } = (await ann.client.get('/repos/ann/boat/actions/runners/registration-token')).json
    const { uuid, token: secret } = await registerRunner(server.url, token)
    const answer = await fetch(`${server.url}/api/actions/runner.v1.RunnerService/Declare`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-runner-uuid': uuid, 'x-runner-token': secret },
      body: '{"version":"1","labels":["host"],"capabilities":["cancelling"]}',
    })
    expect([answer.status, answer.headers.get('x-gitea-actions-capabilities')]).toEqual([200, 'job-summary'])
  })

  it('are shown as Markdown on the page of the run, by job and step, without scripts', async () => {
    expect(await send(test, stepOf(test, 0), 'from **test**\0')).toBe(200)
    expect(await send(build, stepOf(build, 10), '| a | b |\n|---|---|\n| 1 | <script>alert(1)</script>2 |')).toBe(200)
    expect(await send(build, stepOf(build, 2), 'old')).toBe(200)
    expect(await send(build, stepOf(build, 2), '# Coverage\n\nfirst\nsecond')).toBe(200)
    const text = await page()
    const parts = [
      'Summary of build',
      'Coverage',
      'first\nsecond',
      '<td>1</td>',
      'Summary of test',
      '<strong>test</strong>',
    ]
    const places = parts.map((part) => text.indexOf(part))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect([places.includes(-1), text.includes('<script>'), text.includes('old')]).toEqual([false, false, false])
  })

  it('are replaced, and deleted by an empty text', async () => {
    expect(await send(test, `${run.id}`, 'one for the *job*')).toBe(200)
    expect(await page()).toContain('<em>job</em>')
    expect(await send(test, stepOf(test, 0), '')).toBe(200)
    expect(await page()).not.toContain('Summary of test')
  })

  it('are refused for other jobs, without a token, and beyond the limits', async () => {
    const other = await startJob(server, (await createActionsFactory(server.app).run(run.repoId)).run)
    for (const [by, path, body, headers, status] of [
      [build, stepOf(test, 0), 'a', {}, 400],
      [other, stepOf(build, 0), 'a', {}, 400],
      [build, stepOf(build, 1000), 'a', {}, 400],
      [build, stepOf(build, 'x'), 'a', {}, 400],
      [build, stepOf(build, 0), 'a', { 'content-encoding': 'gzip' }, 400],
      [build, stepOf(build, 0), 'a', { authorization: '' }, 401],
      [build, stepOf(build, 0), 'a', { authorization: `Bearer ${build.token}x` }, 401],
      [build, stepOf(build, 0), 'x'.repeat(1024 * 1024 + 1), {}, 413],
      [build, stepOf(build, 0), 'x'.repeat(1024 * 1024), {}, 200],
    ] as const)
      expect([path, headers, await send(by, path, body, headers)]).toEqual([path, headers, status])
    for (let step = 20; step < 40; step++)
      expect([step, await send(test, stepOf(test, step), 'a')]).toEqual([step, 200])
    expect(await send(test, stepOf(test, 40), 'a')).toBe(413)
    expect(await send(test, stepOf(test, 39), 'b')).toBe(200)
    expect((await page()).length).toBeLessThan(300_000)
  })

  it('are deleted with the run, and are refused from a task that has ended', async () => {
    const { database } = server.app
    await database.transaction((tx) =>
      tx.updateTable('action_task').set({ status: 'success' }).where('id', '=', build.taskId).execute(),
    )
    expect(await send(build, stepOf(build, 3), 'late')).toBe(401)
    expect((await ann.client.delete(`/repos/ann/boat/actions/runs/${run.id}`)).status).toBe(204)
    expect(await database.read.selectFrom('action_summary').selectAll().execute()).toEqual([])
  })
})
