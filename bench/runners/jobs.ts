import { setTimeout as sleep } from 'node:timers/promises'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { registerRunner, rpc, type TestRunner } from '../../test/harness/runner.ts'
import { requireApi, tokenHeaders } from '../api.ts'
import type { Run } from '../run.ts'

/** Jobs of one run; runs with many jobs are unusual. */
const JOBS_OF_RUN = 10
const LOG_LINES = 10
const PATIENCE_MS = 120_000
const PAUSE_MS = 20

export interface JobRepo {
  readonly path: string
  readonly registrationToken: string
}

/** A repository with a workflow of ten jobs, which starts by request. */
export async function makeJobRepo({ target, seed }: Run): Promise<JobRepo> {
  const name = `${seed.prefix}-jobs`
  const path = `/repos/${target.login}/${name}`
  const post = (at: string, body: object) =>
    requireApi<{ token: string }>(target.url, { method: 'POST', path: at, headers: tokenHeaders(target), body })
  await post('/user/repos', { name, auto_init: true, default_branch: 'main' })
  seed.made.push(name)
  const numbers = Array.from({ length: JOBS_OF_RUN }, (_, i) => i).join()
  const workflow = `on: workflow_dispatch
jobs:
  short:
    runs-on: host
    strategy: { matrix: { n: [${numbers}] } }
    steps:
      - run: 'true'
`
  const content = Buffer.from(workflow).toString('base64')
  await post(`${path}/contents/.gitea/workflows/ci.yml`, { content, message: 'Add jobs' })
  const { token } = await post(`${path}/actions/runners/registration-token`, {})
  return { path, registrationToken: token }
}

export const startRunners = ({ target }: Run, { registrationToken }: JobRepo, count: number): Promise<TestRunner[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => registerRunner(target.url, registrationToken, { name: `r${i}` })))

/** Starts runs with that many jobs in all; returns their number. */
export async function queueJobs({ target }: Run, { path }: JobRepo, count: number): Promise<number> {
  const runs = Math.ceil(count / JOBS_OF_RUN)
  for (let i = 0; i < runs; i++)
    await requireApi(target.url, {
      method: 'POST',
      path: `${path}/actions/workflows/ci.yml/dispatches`,
      headers: tokenHeaders(target),
      body: { ref: 'main' },
    })
  return runs * JOBS_OF_RUN
}

/** Runs the jobs as runners do; returns how often each job was run. */
export async function runJobs(runners: readonly TestRunner[], count: number): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  const end = performance.now() + PATIENCE_MS
  let done = 0
  await Promise.all(
    runners.map(async (runner) => {
      while (done < count && performance.now() < end) {
        const { task } = await runner.call(rpc.fetchTask, {})
        if (task === undefined) {
          await sleep(PAUSE_MS)
          continue
        }
        const { run_id: run } = task.context as { run_id: string }
        const job = `${run} ${Buffer.from(task.workflowPayload!).toString()}`
        times.set(job, (times.get(job) ?? 0) + 1)
        await runTask(runner, task.id)
        done++
      }
    }),
  )
  return times
}

async function runTask(runner: TestRunner, id: bigint): Promise<void> {
  await runner.call(rpc.updateLog, { taskId: id })
  await runner.call(rpc.updateTask, { state: { id } })
  const at = { seconds: BigInt(Math.floor(Date.now() / 1000)) }
  const rows = Array.from({ length: LOG_LINES }, (_, i) => ({ time: at, content: `line ${i} of a short job` }))
  await runner.call(rpc.updateLog, { taskId: id, rows, noMore: true })
  const step = { id: 0n, result: Result.SUCCESS, startedAt: at, stoppedAt: at, logLength: BigInt(LOG_LINES) }
  const state = { id, result: Result.SUCCESS, startedAt: at, stoppedAt: at, steps: [step] }
  await runner.call(rpc.updateTask, { state })
}
