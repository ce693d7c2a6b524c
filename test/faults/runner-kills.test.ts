import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import type { Any } from '../harness/client.ts'
import { describeOnBoth, makePlace, type ServerPlace } from '../harness/databases.ts'
import { type IngotProcess, startIngot } from '../harness/process.ts'
import { callRpc, registerRunner, rpc, RpcError, type TestRunner } from '../harness/runner.ts'

/** Jobs of each run; `INGOT_TEST_FAULTS=all` runs 500 jobs and kills ten times. */
const JOBS_OF_RUN = 10
const ALL = process.env['INGOT_TEST_FAULTS'] === 'all'
const [RUNS, KILLS, RUNNERS] = ALL ? [50, 10, 20] : [6, 3, 6]
const JOBS = RUNS * JOBS_OF_RUN
const LINES = 30
const PATIENCE_MS = 120_000
const PAUSE_MS = 50
const REPO = '/repos/admin/r'

const WORKFLOW = `on: workflow_dispatch
jobs:
  one:
    runs-on: host
    strategy: { matrix: { n: [${Array.from({ length: JOBS_OF_RUN }, (_, i) => i).join()}] } }
    steps: [{ run: 'true' }]
`

/** A server process that may be replaced, with a repository of jobs. */
function jobServer(kind: 'sqlite' | 'postgres', env: Readonly<Record<string, string>> = {}) {
  const state = {
    server: undefined as unknown as IngotProcess,
    place: undefined as unknown as ServerPlace,
    password: '',
  }
  const start = async (): Promise<void> => {
    const { dataDir, settings } = state.place
    state.server = await startIngot(dataDir, [...settings, '--set', 'database.max_connections=4'], { env })
  }
  const call = async (method: string, path: string, body?: unknown): Promise<Any> => {
    const authorization = `Basic ${Buffer.from(`admin:${state.password}`).toString('base64')}`
    const answer = await fetch(`${state.server.url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    expect(answer.status, text).toBeLessThan(300)
    return text.startsWith('{') ? JSON.parse(text) : text
  }
  return Object.assign(state, {
    call,
    /** Again, after the process ended. */
    start,
    async open(): Promise<void> {
      state.place = await makePlace(kind)
      await start()
      state.password = state.server.password
    },
    async close(signal?: NodeJS.Signals): Promise<void> {
      await state.server.stop(signal)
      await state.place.remove()
    },
    /** A repository with waiting jobs, and runners for them. */
    async prepare(runs: number, runners: number): Promise<TestRunner[]> {
      await call('POST', '/user/repos', { name: 'r', auto_init: true, default_branch: 'main' })
      const content = Buffer.from(WORKFLOW).toString('base64')
      await call('POST', `${REPO}/contents/.gitea/workflows/ci.yml`, { content, message: 'Add jobs' })
      for (let i = 0; i < runs; i++) await call('POST', `${REPO}/actions/workflows/ci.yml/dispatches`, { ref: 'main' })
      const { token } = await call('POST', `${REPO}/actions/runners/registration-token`)
      return Promise.all(
        Array.from({ length: runners }, (_, i) => registerRunner(state.server.url, token, { name: `runner ${i}` })),
      )
    },
    /** Each attempt of each job. */
    async tasks(): Promise<Any[]> {
      const all: Any[] = []
      for (let page = 1, got = 50; got === 50; page++) {
        const { workflow_runs: some } = await call('GET', `${REPO}/actions/tasks?limit=50&page=${page}`)
        all.push(...some)
        got = some.length
      }
      return all
    },
    async jobs(): Promise<Any[]> {
      const all: Any[] = []
      for (let page = 1, got = 50; got === 50; page++) {
        const { jobs } = await call('GET', `${REPO}/actions/jobs?limit=50&page=${page}`)
        all.push(...jobs)
        got = jobs.length
      }
      return all
    },
  })
}

describeOnBoth('runners and a server that are killed among many jobs', (kind) => {
  const world = jobServer(kind)
  beforeAll(() => world.open(), 60_000)
  afterAll(() => world.close('SIGKILL'))

  const text = (id: bigint, line: number): string => `${id} ${line}`
  const rowsOf = (id: bigint, from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({ content: text(id, from + i) }))

  it(
    'run each job once, end each, and lose no line of a log',
    async () => {
      const runners = await world.prepare(RUNS, RUNNERS)
      const lost = new Set<bigint>()
      const done = new Set<bigint>()
      const end = performance.now() + PATIENCE_MS * (ALL ? 5 : 1)
      const isOver = (): boolean => done.size + lost.size >= JOBS || performance.now() > end

      /** Repeats the call until the server answers, as runners do: after a restart at its new address. */
      async function ask<M extends Parameters<typeof callRpc>[1]>(
        { uuid, token }: TestRunner,
        method: M,
        message: Any,
        headers: Record<string, string> = {},
      ): Promise<Any> {
        for (;;)
          try {
            const own = { 'x-runner-uuid': uuid, 'x-runner-token': token, ...headers }
            return await callRpc(world.server.url, method, message, { headers: own })
          } catch (error) {
            if ((error instanceof RpcError && error.status < 500) || performance.now() > end) throw error
            await wait(PAUSE_MS)
          }
      }

      async function runTask(runner: TestRunner, id: bigint): Promise<void> {
        for (let stored = 0; stored < LINES;) {
          const to = Math.min(LINES, stored + LINES / 3)
          const rows = rowsOf(id, stored, to)
          const { ackIndex } = await ask(runner, rpc.updateLog, {
            taskId: id,
            index: BigInt(stored),
            rows,
            noMore: to === LINES,
          })
          expect(Number(ackIndex)).toBeGreaterThanOrEqual(stored)
          stored = Number(ackIndex)
        }
        const { state } = await ask(runner, rpc.updateTask, { state: { id, result: Result.SUCCESS } })
        expect(state.result).toBe(Result.SUCCESS)
      }

      const work = async (runner: TestRunner): Promise<void> => {
        for (let key = randomUUID(); !isOver();) {
          const { task } = await ask(runner, rpc.fetchTask, {}, { 'x-runner-request-key': key })
          if (task === undefined) await wait(PAUSE_MS)
          else {
            key = randomUUID()
            expect(done.has(task.id) || lost.has(task.id)).toBe(false)
            if (lost.size < KILLS && done.size > ((lost.size + 1) * JOBS) / (KILLS + 2)) lost.add(task.id)
            else {
              await runTask(runner, task.id)
              done.add(task.id)
            }
          }
        }
      }

      const killServer = async (): Promise<void> => {
        for (let killed = 0; killed < KILLS && !isOver();) {
          await wait(PAUSE_MS)
          if (done.size < (killed * JOBS) / (KILLS + 2)) continue
          await world.server.stop('SIGKILL')
          await world.start()
          killed++
        }
      }
      await Promise.all([...runners.map(work), killServer()])
      expect([done.size + lost.size, lost.size]).toEqual([JOBS, KILLS])

      await world.server.stop('SIGTERM')
      const database = world.place.open()
      await database.transaction((tx) =>
        tx.updateTable('action_task').set({ updated_at: 1 }).where('status', '=', 'running').execute(),
      )
      await database.close()
      await world.start()
      await world.call('POST', '/admin/cron/stop_zombie_tasks')
      const states = async (): Promise<Any> => {
        const byState = Map.groupBy(await world.jobs(), (job) => job.conclusion ?? job.status)
        return Object.fromEntries([...byState].map(([state, { length }]) => [state, length]))
      }
      const wanted = { success: JOBS - KILLS, failure: KILLS }
      await expect.poll(states, { timeout: PATIENCE_MS, interval: 200 }).toEqual(wanted)

      const tasks = await world.tasks()
      expect(tasks).toHaveLength(JOBS)
      expect(new Set(tasks.map(({ id }) => BigInt(id)))).toEqual(new Set([...done, ...lost]))
      const jobs = await world.jobs()
      expect([jobs.length, new Set(jobs.map((job) => job.run_attempt))]).toEqual([JOBS, new Set([1])])
      for (const { id, conclusion } of jobs) {
        if (conclusion !== 'success') continue
        const log = String(await world.call('GET', `${REPO}/actions/jobs/${id}/logs`))
        const lines = log
          .trimEnd()
          .split('\n')
          .map((line) => line.slice(line.indexOf(' ') + 1))
        const task = BigInt(lines[0]!.split(' ')[0]!)
        expect(lines).toEqual(rowsOf(task, 0, LINES).map(({ content }) => content))
        expect(done.delete(task)).toBe(true)
      }
      expect(done.size).toBe(0)
    },
    PATIENCE_MS * (ALL ? 10 : 2),
  )
})

describeOnBoth('two processes of a server', (kind) => {
  const world = jobServer(kind, { INGOT_SERVER_WORKERS: '2' })
  beforeAll(() => world.open(), 60_000)
  afterAll(() => world.close())

  it('assign each job to one of several runners that ask at the same time', async () => {
    const runners = await world.prepare(2, 8)
    const taken: bigint[] = []
    // Connections of their own, which the processes share among them.
    const ask = (runner: TestRunner) => runner.call(rpc.fetchTask, {}, { headers: { connection: 'close' } })
    for (let round = 0; round < 6 && taken.length < 2 * JOBS_OF_RUN; round++)
      for (const { task } of await Promise.all(runners.map(ask))) if (task !== undefined) taken.push(task.id)
    expect([taken.length, new Set(taken).size]).toEqual([2 * JOBS_OF_RUN, 2 * JOBS_OF_RUN])
    const jobs = await world.jobs()
    expect(jobs.map((job) => [job.status, job.run_attempt])).toEqual(jobs.map(() => ['in_progress', 1]))
    expect(await world.tasks()).toHaveLength(2 * JOBS_OF_RUN)
  }, 60_000)
})

describeOnBoth('a server that is killed during the upload of an artifact', (kind) => {
  const world = jobServer(kind)
  beforeAll(() => world.open(), 60_000)
  afterAll(() => world.close('SIGKILL'))

  it('continues with the blocks that it acknowledged, and shows nothing that is not complete', async () => {
    const [runner] = await world.prepare(1, 1)
    const { task } = await runner!.call(rpc.fetchTask, {})
    const token = String((task!.context as Record<string, unknown>)['gitea_runtime_token'])
    const ids = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Any
    const call = async (method: string, members: object): Promise<Any> => {
      const path = `/twirp/github.actions.results.api.v1.ArtifactService/${method}`
      const answer = await fetch(`${world.server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          workflow_run_backend_id: String(ids.RunID),
          workflow_job_run_backend_id: String(ids.JobID),
          name: 'data',
          ...members,
        }),
      })
      return { status: answer.status, ...((await answer.json()) as object) }
    }
    const at = (url: string): string => url.replace(/^http:\/\/[^/]+/, world.server.url)
    const kill = async (): Promise<void> => {
      await world.server.stop('SIGKILL')
      await world.start()
    }
    const blocks = [1, 2, 3].map((value) => Buffer.alloc(7 * 1024 ** 2, value))
    const { signedUploadUrl } = await call('CreateArtifact', { version: 4 })
    const put = async (query: string, body: BodyInit): Promise<number> =>
      (await fetch(`${at(signedUploadUrl)}${query}`, { method: 'PUT', body })).status
    const send = (index: number): Promise<number> =>
      put(`&comp=block&blockid=${index}`, blocks[index] as unknown as BodyInit)

    expect(await send(2)).toBe(201)
    const interrupted = send(0).catch(() => undefined)
    await kill()
    await interrupted
    expect([await send(0), await send(1)]).toEqual([201, 201])
    await kill()
    const list = [0, 1, 2].map((index) => `<Latest>${index}</Latest>`).join('')
    expect(await put('&comp=blocklist', `<BlockList>${list}</BlockList>`)).toBe(201)
    expect(await call('GetSignedArtifactURL', {})).toMatchObject({ status: 404 })
    const whole = Buffer.concat(blocks)
    const finish = () => call('FinalizeArtifact', { size: String(whole.length) })
    const lost = finish().catch(() => undefined)
    await kill()
    await lost
    expect(await finish()).toMatchObject({ status: 200, ok: true })
    await kill()
    const { signedUrl } = await call('GetSignedArtifactURL', {})
    const stored = Buffer.from(await (await fetch(at(signedUrl))).arrayBuffer())
    expect(stored.equals(whole)).toBe(true)
  }, 120_000)
})
