import { afterAll, beforeAll, expect, it } from 'vitest'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { registerRunner, rpc, type TestRunner } from '../harness/runner.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { statementsOf } from '../harness/statements.ts'

/** At most what the requests of one job send to the database; on PostgreSQL with the statements that begin and commit. */
const BUDGETS = {
  sqlite: { 'take the job': 14, 'begin the log': 2, 'report that it runs': 2, 'send the log': 4, 'report its end': 11 },
  postgres: {
    'take the job': 16,
    'begin the log': 2,
    'report that it runs': 2,
    'send the log': 6,
    'report its end': 13,
  },
} as const

describeOnBoth('the statements of a short job', (on) => {
  let server: TestServer
  let runner: TestRunner
  beforeAll(async () => {
    server = await startServer({ on })
    const ann = await server.world.user('ann')
    const { id } = await server.world.repo({ owner: ann, name: 'r' })
    const { json } = await ann.client.get('/repos/ann/r/actions/runners/registration-token')
    runner = await registerRunner(server.url, json.token)
    const job = { labels: ['host'], status: 'waiting' } as const
    await createActionsFactory(server.app).run(id as never, { actorId: ann.user.id, jobs: { first: job, second: job } })
    for (const step of Object.values(stepsOf(runner))) await step()
    await server.drain()
  })
  afterAll(() => server.close())

  it('are as few as they were', async () => {
    const steps = Object.entries(stepsOf(runner))
    for (const [name, step] of steps) {
      const sent = await statementsOf(server.app.database, step)
      const budget = BUDGETS[on][name as keyof (typeof BUDGETS)[typeof on]]
      expect(sent.length, [name, ...sent].join('\n')).toBeLessThanOrEqual(budget)
      expect(sent.length).toBeGreaterThan(1)
    }
  })
})

/** What a runner sends about one job, in order. */
function stepsOf(runner: TestRunner): Record<string, () => Promise<void>> {
  let id = 0n
  const at = { seconds: 1_800_000_000n }
  const result = Result.SUCCESS
  return {
    async 'take the job'() {
      const { task } = await runner.call(rpc.fetchTask, {})
      id = task!.id
    },
    async 'begin the log'() {
      await runner.call(rpc.updateLog, { taskId: id })
    },
    async 'report that it runs'() {
      await runner.call(rpc.updateTask, { state: { id } })
    },
    async 'send the log'() {
      await runner.call(rpc.updateLog, { taskId: id, rows: [{ time: at, content: 'line' }], noMore: true })
    },
    async 'report its end'() {
      const step = { id: 0n, result, startedAt: at, stoppedAt: at, logLength: 1n }
      const { state } = await runner.call(rpc.updateTask, { state: { id, result, steps: [step] } })
      expect(state?.result).toBe(result)
    },
  }
}
