import { setTimeout as sleep } from 'node:timers/promises'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { rpc, type TestRunner } from '../../test/harness/runner.ts'
import { requireApi, tokenHeaders } from '../api.ts'
import type { Run } from '../run.ts'
import type { JobRepo } from './jobs.ts'

const POLL_MS = 1_000
/** Longer than a run takes to start on a busy machine; such a push counts with this time. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 250

const WORKFLOW = `on: { push: { paths: ['pushed/**'] } }
jobs:
  first: { runs-on: host, steps: [{ run: 'true' }] }
`

/**
 * Milliseconds from the answer to each of some pushes until a runner has the task. The runners poll each second, spread
 * over the second.
 */
export async function measureFirstTasks(
  { target }: Run,
  { path }: JobRepo,
  { started, pushes }: { readonly started: readonly TestRunner[]; readonly pushes: number },
): Promise<number[]> {
  const commit = (file: string, text: string): Promise<unknown> =>
    requireApi(target.url, {
      method: 'POST',
      path: `${path}/contents/${file}`,
      headers: tokenHeaders(target),
      body: { content: Buffer.from(text).toString('base64'), message: 'Push' },
    })
  await commit('.gitea/workflows/push.yml', WORKFLOW)
  let taken = Promise.withResolvers<number>()
  let isOver = false
  const polling = started.map(async (runner, index) => {
    await sleep((POLL_MS * index) / started.length)
    for (let version = 0n; !isOver; await sleep(POLL_MS)) {
      const { task, tasksVersion } = await runner.call(rpc.fetchTask, { tasksVersion: version })
      version = task === undefined ? tasksVersion : 0n
      if (task === undefined) continue
      taken.resolve(performance.now())
      await runner.call(rpc.updateTask, { state: { id: task.id, result: Result.SUCCESS } })
    }
  })
  const times: number[] = []
  for (let i = 0; i < pushes; i++) {
    await sleep(PAUSE_MS + POLL_MS * Math.random())
    taken = Promise.withResolvers()
    await commit(`pushed/${i}`, String(i))
    const pushedAt = performance.now()
    times.push(
      await Promise.race([taken.promise.then((at) => at - pushedAt), sleep(PATIENCE_MS, PATIENCE_MS, { ref: false })]),
    )
  }
  isOver = true
  await Promise.all(polling)
  return times
}
