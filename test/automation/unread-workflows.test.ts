import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { defineModule } from '../../src/core/module.ts'
import { TaskError, type TaskPool } from '../../src/core/platform/isolation/index.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

type Reason = TaskError['reason']

describeOnBoth('workflows that could not be read', (kind) => {
  let server: TestServer
  let ann: Person
  let pool: TaskPool
  let now = Date.now()
  let count = 0
  /** Why tasks on a workflow of the name fail, in turn; the last reason stays. */
  const failures = new Map<string, (Reason | undefined)[]>()
  let failed = 0

  /** Commits workflows, of which each has its name in its text. */
  async function commit(names: readonly string[], on = 'push'): Promise<string> {
    const repo = `/repos/ann/r${++count}`
    await server.world.repo({ owner: ann, name: `r${count}`, autoInit: true })
    const files = names.map((name) => ({
      operation: 'create',
      path: `.gitea/workflows/${name}.yml`,
      content: Buffer.from(`name: ${name}\non: ${on}\njobs: { a: { runs-on: x } }\n# ${count}`).toString('base64'),
    }))
    expect((await ann.client.post(`${repo}/contents`, { files, message: 'Add', branch: 'main' })).status).toBe(201)
    await server.drain()
    return repo
  }
  const runsOf = async (repo: string): Promise<string[]> =>
    (await ann.client.get(`${repo}/actions/runs`)).json.workflow_runs.map(({ path }: Any) => path.split('.')[0])
  /** Lets the time pass until a job that failed is due again. */
  const retry = async (): Promise<void> => {
    now += 60_000
    await server.drain()
  }

  beforeAll(async () => {
    const catchPool = defineModule({
      name: 'catch-pool',
      needs: [],
      create({ taskPool }) {
        pool = taskPool
        return {}
      },
    })
    server = await startServer({ on: kind, clock: { now: () => now }, extraModules: [catchPool] })
    ann = await server.world.user('ann')
    const run = pool.run.bind(pool)
    pool.run = (task, input, caller) => {
      const text = (input as Any)?.text
      for (const [name, reasons] of failures) {
        if (typeof text !== 'string' || !text.startsWith(`name: ${name}\n`)) continue
        const reason = reasons.length > 1 ? reasons.shift() : reasons[0]
        if (reason === undefined) continue
        failed++
        return Promise.reject(new TaskError(reason, 'as the test wants'))
      }
      return run(task, input, caller)
    }
  }, 60_000)
  afterAll(() => server.close())
  beforeEach(() => failures.clear())

  it('are read again later, after those of the other files have started', async () => {
    failures.set('slow', ['time']).set('ended', ['ended'])
    const repo = await commit(['ended', 'good', 'slow', 'well'])
    expect(await runsOf(repo)).toEqual(['well', 'good'])
    failures.delete('ended')
    await retry()
    expect(await runsOf(repo)).toEqual(['ended', 'well', 'good'])
    failures.delete('slow')
    await retry()
    expect(await runsOf(repo)).toEqual(['slow', 'ended', 'well', 'good'])
    expect(await server.app.background.jobs.countOpen()).toBe(0)
  })

  it('are read in another process when the first one is slow, full or ended', async () => {
    failures.set('slow', ['time', undefined]).set('full', ['memory', undefined]).set('ended', ['ended', undefined])
    expect(await runsOf(await commit(['slow', 'full', 'ended']))).toEqual(
      ['slow', 'full', 'ended'].toSorted().toReversed(),
    )
  })

  it('count as invalid after three times', async () => {
    failures.set('slow', ['time'])
    failed = 0
    const repo = await commit(['slow', 'well'])
    for (let times = 0; times < 4; times++) await retry()
    expect(await runsOf(repo)).toEqual(['well'])
    expect([await server.app.background.jobs.countOpen(), await rows(server, 'job', { state: 'dead' })]).toEqual([
      0,
      [],
    ])
    const { json } = await ann.client.get(`${repo}/actions/workflows/slow.yml/lint`)
    expect(json.problems).toEqual([expect.objectContaining({ reason: 'reading it takes too much time' })])
    // Twice each time, and perhaps once more by another job at the same time.
    expect([6, 8]).toContain(failed)
  })

  it('are listed by the names of their files, and not dispatched', async () => {
    const repo = await commit(['slow', 'well'], 'workflow_dispatch')
    failures.set('slow', ['time'])
    const text = Buffer.from('name: slow\non: workflow_dispatch\njobs: { a: { runs-on: y } }').toString('base64')
    const files = [{ operation: 'create', path: '.gitea/workflows/new.yml', content: text }]
    await ann.client.post(`${repo}/contents`, { files, message: 'Add [skip ci]', branch: 'main' })
    const { json } = await ann.client.get(`${repo}/actions/workflows`)
    expect(json.workflows.map(({ name }: Any) => name)).toEqual(['new.yml', 'slow', 'well'])
    const answer = await ann.client.post(`${repo}/actions/workflows/new.yml/dispatches`, { ref: 'main' })
    expect([answer.status, answer.json.message]).toEqual([503, 'the workflow could not be read, try again'])
    failures.clear()
    await server.drain()
  })

  it('get their schedules when they are read', async () => {
    failures.set('nightly', ['time'])
    await commit(['nightly'], '{ schedule: [{ cron: "0 3 * * *" }] }')
    expect(await rows(server, 'action_schedule', {})).toEqual([])
    failures.delete('nightly')
    await retry()
    expect(await rows(server, 'action_schedule', {})).toHaveLength(1)
  })
})
