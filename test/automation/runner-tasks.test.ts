import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { registerRunner, rpc, RpcError, runnerOf, type TestRunner } from '../harness/runner.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { RunStatus } from '../../src/domains/automation/index.ts'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import type { Any } from '../harness/client.ts'
import type { Person } from '../harness/world.ts'

interface Job {
  readonly needs?: readonly string[]
  readonly labels?: readonly string[]
}

const time = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 })
const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ time: time(1_700_000_000_123), content: `line ${from + index}` }))

describeOnBoth('tasks of runners', (kind) => {
  let server: TestServer
  let ann: Person
  let repoId: number
  let runner: TestRunner
  let count = 0

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    repoId = (await server.world.repo({ owner: ann, name: `r${++count}` })).id
    runner = await newRunner()
  })

  const path = () => `/repos/ann/r${count}/actions`
  const newRunner = async (facts: Any = {}): Promise<TestRunner> => {
    const { token } = (await ann.client.get(`${path()}/runners/registration-token`)).json
    return registerRunner(server.url, token, { labels: ['host', 'x64'], ...facts })
  }
  const queue = (jobs: Record<string, Job>, more: Any = {}) =>
    createActionsFactory(server.app).run(repoId as never, {
      ...more,
      jobs: Object.fromEntries(
        Object.entries(jobs).map(([key, job]) => [
          key,
          { labels: ['host'], ...job, status: (job.needs === undefined ? 'waiting' : 'blocked') as RunStatus },
        ]),
      ),
    })
  const fetchTask = async (by = runner, message: Any = {}, headers = {}) => by.call(rpc.fetchTask, message, { headers })
  const statuses = async (runId: number): Promise<Record<string, string>> => {
    const { jobs } = (await ann.client.get(`${path()}/runs/${runId}/jobs`)).json
    return Object.fromEntries(jobs.map((job: Any) => [job.name, job.conclusion ?? job.status]))
  }
  const finish = (id: bigint, result = Result.SUCCESS, outputs = {}, by = runner) =>
    by.call(rpc.updateTask, { state: { id, result }, outputs })
  const logOf = async (jobId: number): Promise<string> => (await ann.client.get(`${path()}/jobs/${jobId}/logs`)).text
  const code = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'ok',
      (error: unknown) => (error instanceof RpcError ? error.code : String(error)),
    )

  describe('are fetched', () => {
    it('by exactly one of many runners that poll at once', async () => {
      const { run } = await queue(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`j${index}`, {}])))
      const runners = await Promise.all(Array.from({ length: 8 }, () => newRunner()))
      const ids: bigint[] = []
      for (let round = 0; round < 2; round++)
        for (const { task } of await Promise.all(runners.map((one) => fetchTask(one)))) if (task) ids.push(task.id)
      expect([ids.length, new Set(ids).size]).toEqual([12, 12])
      expect(new Set(Object.values(await statuses(run.id)))).toEqual(new Set(['in_progress']))
      expect((await fetchTask()).task).toBeUndefined()
    })

    it('with one counter until a job begins to wait', async () => {
      const idle = await fetchTask()
      expect([idle.task, idle.tasksVersion > 0n]).toEqual([undefined, true])
      const { jobs, run } = await queue({ a: {}, b: { needs: ['a'] } })
      const { task, tasksVersion } = await fetchTask(runner, { tasksVersion: idle.tasksVersion })
      expect([task !== undefined, tasksVersion > idle.tasksVersion]).toEqual([true, true])
      await queue({ c: { labels: [] } })
      const current = (await fetchTask()).tasksVersion
      expect((await fetchTask(runner, { tasksVersion: current })).task).toBeUndefined()
      await finish(task!.id)
      expect(await statuses(run.id)).toEqual({ a: 'success', b: 'queued' })
      const next = await fetchTask(runner, { tasksVersion: current })
      expect([next.task !== undefined, next.tasksVersion > current]).toEqual([true, true])
      expect((await ann.client.get(`${path()}/jobs/${jobs[1]}`)).json).toMatchObject({
        status: 'in_progress',
        run_attempt: 1,
        runner_name: 'runner',
      })
    })

    it('only where the runner has every label, is enabled and of the place', async () => {
      await queue({ a: { labels: ['host', 'gpu'] } })
      expect((await fetchTask()).task).toBeUndefined()
      const able = await newRunner({ labels: ['gpu', 'host'], name: 'able' })
      const { runners } = (await ann.client.get(`${path()}/runners`)).json
      const { id } = runners.find(({ name }: Any) => name === 'able')
      await ann.client.patch(`${path()}/runners/${id}`, { disabled: true })
      const disabled = await fetchTask(able)
      expect(disabled.task).toBeUndefined()
      await ann.client.patch(`${path()}/runners/${id}`, { disabled: false })
      const other = await server.world.repo({ owner: ann, name: `other${count}` })
      const { token } = (await ann.client.get(`/repos/ann/${other.name}/actions/runners/registration-token`)).json
      const stranger = await registerRunner(server.url, token, { labels: ['gpu', 'host'] })
      expect((await fetchTask(stranger)).task).toBeUndefined()
      expect((await fetchTask(able, { tasksVersion: disabled.tasksVersion })).task).toBeDefined()
    })

    it('several at once, as the runner has places', async () => {
      await queue({ a: {}, b: {}, c: {} })
      const { task, additionalTasks } = await fetchTask(runner, { taskCapacity: 2n })
      expect([task !== undefined, additionalTasks.length]).toEqual([true, 1])
      const rest = await fetchTask(runner, { taskCapacity: 5n })
      expect([rest.task !== undefined, rest.additionalTasks.length]).toEqual([true, 0])
      const none = await fetchTask(runner, { taskCapacity: 5n })
      expect([none.task, none.additionalTasks]).toEqual([undefined, []])
    })

    it('only when the runner has capacity, and then without a new job', async () => {
      await queue({ a: {} })
      for (const taskCapacity of [0n, -1n]) {
        const { task, tasksVersion } = await fetchTask(runner, { taskCapacity })
        expect([task, tasksVersion]).toEqual([undefined, 1n])
      }
      expect((await fetchTask(runner, { tasksVersion: 1n, taskCapacity: 1n })).task).toBeDefined()
    })

    it('again by a request whose answer was lost, with a new token', async () => {
      await queue({ a: {}, b: {} })
      const headers = { 'x-runner-request-key': 'one' }
      const first = await fetchTask(runner, {}, headers)
      const again = await fetchTask(runner, {}, headers)
      expect(again.task!.id).toBe(first.task!.id)
      expect(again.task!.context!['token']).not.toBe(first.task!.context!['token'])
      expect((await fetchTask(runner, {}, { 'x-runner-request-key': 'two' })).task!.id).not.toBe(first.task!.id)
    })

    it.each(['proto', 'json'] as const)('several again by a request whose answer was lost, in %s', async (encoding) => {
      await queue({ a: {}, b: {}, c: {} })
      const ask = async (key: string) => {
        const options = { encoding, headers: { 'x-runner-request-key': key } }
        const { task, additionalTasks } = await runner.call(rpc.fetchTask, { taskCapacity: 2n }, options)
        return [task, ...additionalTasks].map((one) => ({ id: one?.id, token: one?.context?.['token'] as string }))
      }
      const [first, again] = [await ask('one'), await ask('one')]
      expect([first.length, again.map(({ id }) => id)]).toEqual([2, first.map(({ id }) => id)])
      const userOf = async ({ token }: { token: string }): Promise<number> =>
        (await fetch(`${server.url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } })).status
      expect(await Promise.all([...first, ...again].map(userOf))).toEqual([401, 401, 200, 200])
      expect((await ask('two')).length).toBe(1)
    })

    it('one by an ephemeral runner, which is deleted after it', async () => {
      const { run } = await queue({ a: {}, b: {} })
      const once = await newRunner({ ephemeral: true })
      const { task } = await fetchTask(once, { taskCapacity: 2n })
      expect((await fetchTask(once)).task).toBeUndefined()
      await finish(task!.id, Result.SUCCESS, {}, once)
      expect(await code(fetchTask(once))).toBe('unauthenticated')
      expect(Object.values(await statuses(run.id)).toSorted()).toEqual(['queued', 'success'])
    })

    it('by handle', async () => {
      await queue({ a: {}, b: {} })
      const jobs = (await ann.client.get(`${path()}/runners/jobs?labels=host,x64`)).json
      expect(jobs).toHaveLength(2)
      expect(jobs[1]).toMatchObject({ name: 'b', attempt: 1, status: 'waiting', task_id: 0, runs_on: ['host'] })
      expect((await ann.client.get(`${path()}/runners/jobs?labels=x64`)).json).toEqual([])
      const { handle } = jobs[1]
      const { task } = await runner.call(rpc.fetchSingleTask, { handle })
      expect(task!.context!['job']).toBe('b')
      for (const gone of [handle, 'x', crypto.randomUUID()])
        expect((await runner.call(rpc.fetchSingleTask, { handle: gone })).task).toBeUndefined()
    })

    it('with secrets, variables, outputs of needed jobs and the context', async () => {
      await ann.client.put(`${path()}/secrets/KEY`, { data: 'hidden' })
      await ann.client.post(`${path()}/variables/COLOUR`, { value: 'red' })
      const { run } = await queue({ a: {}, b: { needs: ['a'] } }, { event: 'push', actorId: ann.user.id })
      const first = await fetchTask()
      const reported = await finish(first.task!.id, Result.UNSPECIFIED, { out: 'first' })
      expect(reported.sentOutputs).toEqual(['out'])
      await finish(first.task!.id, Result.SUCCESS, { out: 'second', other: 'x' })
      const { task } = await fetchTask()
      expect(task!.needs['a']).toMatchObject({ result: Result.SUCCESS, outputs: { out: 'first', other: 'x' } })
      expect(task!.vars).toEqual({ COLOUR: 'red' })
      const token = task!.context!['token'] as string
      expect(task!.secrets).toMatchObject({ KEY: 'hidden', GITHUB_TOKEN: token, GITEA_TOKEN: token })
      expect(task!.context).toMatchObject({
        actor: 'ann',
        event_name: 'push',
        ref: 'refs/heads/main',
        ref_name: 'main',
        ref_type: 'branch',
        repository: `ann/r${count}`,
        run_id: String(run.id),
        server_url: `${server.url}/`,
        gitea_default_actions_url: 'https://github.com',
      })
      expect((await server.app.taskTokens.findTask(task!.context!['gitea_runtime_token'] as string))?.id).toBe(
        Number(task!.id),
      )
    })

    it.each([
      ['of the server for a run that no account started', -2, 'gitea-actions'],
      ['that stands for a deleted account', 99_999, 'ghost'],
    ])('with the name %s', async (_, actorId, name) => {
      await queue({ a: {} }, { actorId })
      expect((await fetchTask()).task?.context).toMatchObject({ actor: name })
    })
  })

  describe('are reported', () => {
    it('with their steps, once', async () => {
      const { run, jobs } = await queue({ a: {} })
      const { id } = (await fetchTask()).task!
      const step = { id: 0n, startedAt: time(1000), logIndex: 0n, logLength: 2n }
      await runner.call(rpc.updateTask, { state: { id, steps: [step] } })
      const shown = async () => (await ann.client.get(`${path()}/jobs/${jobs[0]}`)).json
      expect((await shown()).steps).toMatchObject([{ number: 0, status: 'in_progress' }])
      const steps = [{ ...step, result: Result.FAILURE, stoppedAt: time(2000) }]
      const done = await runner.call(rpc.updateTask, { state: { id, result: Result.FAILURE, steps } })
      expect(done.state).toMatchObject({ id, result: Result.FAILURE })
      expect((await finish(id)).state!.result).toBe(Result.FAILURE)
      expect(await shown()).toMatchObject({ conclusion: 'failure', steps: [{ conclusion: 'failure' }] })
      expect(await statuses(run.id)).toEqual({ a: 'failure' })
      expect((await ann.client.get(`${path()}/runs/${run.id}`)).json.conclusion).toBe('failure')
    })

    it('by their own runner only', async () => {
      await queue({ a: {} })
      const { id } = (await fetchTask()).task!
      const other = await newRunner()
      expect(await code(finish(id, Result.SUCCESS, {}, other))).toBe('permission_denied')
      expect(await code(other.call(rpc.updateLog, { taskId: id, rows: lines(0, 1) }))).toBe('permission_denied')
      expect(await code(finish(99999n))).toBe('not_found')
      const forged = runnerOf(server.url, { ...runner, token: '0'.repeat(40) })
      expect(await code(finish(id, Result.SUCCESS, {}, forged))).toBe('unauthenticated')
    })

    it('within bounds', async () => {
      await queue({ a: {} })
      const { id } = (await fetchTask()).task!
      for (const outputs of [{ ['x'.repeat(256)]: '' }, { x: 'y'.repeat(1024 * 1024 + 1) }, { x: '\0' }])
        expect(await code(finish(id, Result.SUCCESS, outputs))).toBe('invalid_argument')
      const steps = Array.from({ length: 1001 }, (_, index) => ({ id: BigInt(index) }))
      expect(await code(runner.call(rpc.updateTask, { state: { id, steps } }))).toBe('invalid_argument')
      expect(await code(runner.call(rpc.updateTask, { state: { id, steps: [{ id: -1n }] } }))).toBe('invalid_argument')
      for (const far of [2n ** 63n - 1n, -(2n ** 63n), -1n]) {
        for (const step of [{ logIndex: far }, { logLength: far }])
          expect(await code(runner.call(rpc.updateTask, { state: { id, steps: [step] } }))).toBe('invalid_argument')
        expect(await code(finish(far))).toBe('not_found')
        expect(await code(runner.call(rpc.updateLog, { taskId: far, rows: lines(0, 1) }))).toBe('not_found')
        expect(await runner.call(rpc.updateLog, { taskId: id, index: far, rows: lines(0, 1) })).toMatchObject({
          ackIndex: 0n,
        })
        expect((await runner.call(rpc.fetchTask, { tasksVersion: far })).task).toBeUndefined()
      }
      const clock = { seconds: 2n ** 62n, nanos: -1 }
      await runner.call(rpc.updateTask, { state: { id, steps: [{ id: 0n, startedAt: clock, stoppedAt: clock }] } })
      await runner.call(rpc.updateLog, { taskId: id, rows: [{ time: clock, content: 'a' }] })
    })

    it('with a bounded number and size of outputs in several reports, too', async () => {
      await queue({ a: {}, b: {} })
      const [first, second] = [(await fetchTask()).task!.id, (await fetchTask()).task!.id]
      const send = (id: bigint, names: readonly string[], value = '') =>
        code(finish(id, Result.UNSPECIFIED, Object.fromEntries(names.map((name) => [name, value]))))
      const numbered = (from: number, count: number) => Array.from({ length: count }, (_, at) => `o${from + at}`)
      expect(await send(first, numbered(0, 600))).toBe('ok')
      expect(await send(first, numbered(300, 700))).toBe('ok')
      expect(await send(first, ['more'])).toBe('invalid_argument')
      const value = 'x'.repeat(1024 * 1024 - 1000)
      expect(await send(second, numbered(0, 15), value)).toBe('ok')
      expect(await send(second, numbered(15, 2), value)).toBe('invalid_argument')
      expect((await finish(second)).sentOutputs).toHaveLength(15)
    })

    it.each([
      ['cancelled', Result.CANCELLED],
      ['success, because its last steps succeed', Result.SUCCESS],
    ])('as cancelled when somebody cancelled them, by a runner that can and reports %s', async (_, reported) => {
      const { run, jobs } = await queue({ a: {}, b: {} })
      const able = await newRunner({ capabilities: ['cancelling'] })
      const [atOnce, later] = [(await fetchTask()).task!, (await fetchTask(able)).task!]
      expect((await ann.client.post(`${path()}/runs/${run.id}/cancel`)).status).toBe(204)
      expect((await finish(atOnce.id)).state!.result).toBe(Result.CANCELLED)
      expect((await finish(later.id, Result.UNSPECIFIED, {}, able)).state!.result).toBe(Result.CANCELLED)
      expect((await ann.client.get(`${path()}/jobs/${jobs[1]}`)).json.status).toBe('in_progress')
      expect((await finish(later.id, reported, {}, able)).state!.result).toBe(Result.CANCELLED)
      expect((await ann.client.get(`${path()}/jobs/${jobs[1]}`)).json.conclusion).toBe('cancelled')
    })
  })

  describe('have a log', () => {
    it.each(['proto', 'json'] as const)('that is appended once, without gaps, in %s', async (encoding) => {
      const { jobs } = await queue({ a: {} })
      const { id } = (await fetchTask()).task!
      const append = async (index: number, count: number, noMore = false) =>
        Number(
          (
            await runner.call(
              rpc.updateLog,
              { taskId: id, index: BigInt(index), rows: lines(index, count), noMore },
              { encoding },
            )
          ).ackIndex,
        )
      expect(await append(0, 0)).toBe(0)
      expect(await append(0, 3)).toBe(3)
      expect(await append(0, 3)).toBe(3)
      expect(await append(5, 2)).toBe(3)
      expect(await append(2, 3)).toBe(5)
      expect(await append(5, 0, true)).toBe(5)
      expect(await append(5, 1, true)).toBe(6)
      expect(await append(5, 1, true)).toBe(6)
      expect(await code(append(6, 1))).toBe('already_exists')
      const text = Array.from({ length: 6 }, (_, at) => `2023-11-14T22:13:20.1230000Z line ${at}\n`).join('')
      expect(await logOf(jobs[0]!)).toBe(text)
      await server.app.background.drain()
      expect(await logOf(jobs[0]!)).toBe(text)
    })

    it('of any length, whose lines have limits', async () => {
      const { jobs } = await queue({ a: {} })
      const { id } = (await fetchTask()).task!
      const long = [
        { content: `a\nb\0c\r\x1b[31m` },
        { time: time(1000), content: 'x'.repeat(10 * 1024 * 1024) },
        ...lines(2, 50_000),
      ]
      const { ackIndex } = await runner.call(rpc.updateLog, { taskId: id, rows: long, noMore: true }, { gzip: true })
      expect(ackIndex).toBe(50_002n)
      await server.app.background.drain()
      const text = (await logOf(jobs[0]!)).split('\n')
      expect(text).toHaveLength(50_003)
      expect(text[0]).toBe('1970-01-01T00:00:00.0000000Z a\\nb\ufffdc\r\x1b[31m')
      expect(text[1]).toBe(`1970-01-01T00:00:01.0000000Z ${'x'.repeat(65_536)}`)
      expect(text[50_001]).toContain('line 50001')
    })

    it('and reject bytes that are not a message', async () => {
      await queue({ a: {} })
      await fetchTask()
      const send = async (body: string, headers = {}): Promise<number> => {
        const all = {
          'content-type': 'application/proto',
          'x-runner-uuid': runner.uuid,
          'x-runner-token': runner.token,
          ...headers,
        }
        const url = `${server.url}/api/actions/runner.v1.RunnerService/UpdateLog`
        return (await fetch(url, { method: 'POST', headers: all, body })).status
      }
      for (const body of ['\x1a', '\x1a\x7f', '\x08\xff'.repeat(9), '\x0b', '\x1a\x02\x12\x00'])
        expect(await send(body), JSON.stringify(body)).toBe(400)
      expect(await send('no gzip', { 'content-encoding': 'gzip' })).toBe(400)
    })

    it('that is sealed some time after the task has ended', async () => {
      const { jobs } = await queue({ a: {} })
      const { id } = (await fetchTask()).task!
      await runner.call(rpc.updateLog, { taskId: id, rows: lines(0, 1) })
      await finish(id)
      await runner.call(rpc.updateLog, { taskId: id, index: 1n, rows: lines(1, 1) })
      expect((await logOf(jobs[0]!)).split('\n')).toHaveLength(3)
    })
  })

  it('end when their runner, or every runner, stops sending heartbeats', async () => {
    const at = server.app.clock.now()
    const { run } = await queue({
      silent: {},
      long: {},
      dependent: { needs: ['silent'] },
      abandoned: { labels: ['none'] },
    })
    const once = await newRunner({ ephemeral: true })
    const [silent, long] = [(await fetchTask(once)).task!, (await fetchTask()).task!]
    const { database, jobs, background } = server.app
    await database.transaction(async (tx) => {
      const age = (id: bigint, values: object) =>
        tx.updateTable('action_task').set(values).where('id', '=', Number(id)).execute()
      await age(silent.id, { updated_at: at - 601_000 })
      await age(long.id, { started_at: at - 3 * 3_600_000 - 1_000 })
      const none = tx
        .updateTable('action_job')
        .set({ updated_at: at - 25 * 3_600_000 })
        .where('run_id', '=', run.id)
      await none.where('name', '=', 'abandoned').execute()
    })
    const end = async (kind: 'zombie' | 'endless' | 'abandoned') => {
      await database.transaction((tx) => jobs.enqueue(tx, 'actions.end_overdue', { kind }))
      await background.drain()
    }
    await end('zombie')
    const first = await statuses(run.id)
    expect([first['silent'], first['long'], first['dependent']]).toEqual(['failure', 'in_progress', 'skipped'])
    expect(await code(fetchTask(once))).toBe('unauthenticated')
    await end('endless')
    await end('abandoned')
    expect(await statuses(run.id)).toMatchObject({ long: 'failure', abandoned: 'cancelled' })
    expect((await finish(long.id)).state!.result).toBe(Result.FAILURE)
  })

  it('keep runners busy and online', async () => {
    await queue({ a: {} })
    const { id } = (await fetchTask()).task!
    const state = async () => (await ann.client.get(`${path()}/runners`)).json.runners[0]
    expect(await state()).toMatchObject({ status: 'online', busy: false })
    await finish(id, Result.UNSPECIFIED)
    expect((await state()).busy).toBe(true)
  })
})
