import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { RunStatus } from '../../src/domains/automation/index.ts'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { createActionsFactory } from '../harness/actions.ts'
import type { Any } from '../harness/client.ts'
import { registerRunner, rpc, type TestRunner } from '../harness/runner.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

/** A server where each test has a repository of `ann` and a runner in it. */
export function runnerWorld(on: 'sqlite' | 'postgres', settings: Readonly<Record<string, string>> = {}) {
  const world = {
    server: undefined as unknown as TestServer,
    ann: undefined as unknown as Person,
    runner: undefined as unknown as TestRunner,
    repoId: 0,
    path: '',
  }
  const acts = {
    async newRunner(facts: Any = {}): Promise<TestRunner> {
      const { token } = (await world.ann.client.get(`${world.path}/runners/registration-token`)).json
      return registerRunner(world.server.url, token, facts)
    },

    /** A run whose jobs wait for a runner. */
    queue: (names: readonly string[], repoId = world.repoId) =>
      createActionsFactory(world.server.app).run(repoId as never, {
        jobs: Object.fromEntries(names.map((name) => [name, { labels: ['host'], status: 'waiting' as RunStatus }])),
      }),

    /** The id of the task that the runner gets; undefined for none. */
    take: async (by = world.runner): Promise<bigint | undefined> => (await by.call(rpc.fetchTask, {})).task?.id,
    finish: (id: bigint, by = world.runner) => by.call(rpc.updateTask, { state: { id, result: Result.SUCCESS } }),
    /** The number of lines that the server has then. */
    append: async (taskId: bigint, index: number, contents: readonly string[], noMore = false): Promise<number> => {
      const rows = contents.map((content) => ({ content }))
      return Number((await world.runner.call(rpc.updateLog, { taskId, index: BigInt(index), rows, noMore })).ackIndex)
    },
    logOf: async (jobId: number): Promise<string[]> =>
      (await world.ann.client.get(`${world.path}/jobs/${jobId}/logs`)).text
        .split('\n')
        .slice(0, -1)
        .map((line) => line.slice(line.indexOf(' ') + 1)),
  }
  let count = 0
  beforeAll(async () => {
    world.server = await startServer({ on, settings })
    world.ann = await world.server.world.user('ann')
  })
  afterAll(() => world.server.close())
  beforeEach(async () => {
    const name = `r${++count}`
    world.repoId = (await world.server.world.repo({ owner: world.ann, name })).id
    world.path = `/repos/ann/${name}/actions`
    world.runner = await acts.newRunner()
  })
  return Object.assign(world, acts)
}
