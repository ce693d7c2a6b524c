import { expect, it } from 'vitest'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { rpc } from '../harness/runner.ts'
import { runnerWorld } from './runner-world.ts'

describeOnBoth('a cancelled task', (on) => {
  const world = runnerWorld(on)

  it.each([
    ['stays in the database when it is short', 'Cancelled', false],
    ['moves into a blob when it is long', 'Cancelled '.repeat(2000), true],
  ] as const)('has its log sealed even when its runner stays silent, which %s', async (_, last, isBlob) => {
    const { server, ann } = world
    const { run, jobs } = await world.queue(['a'])
    const id = (await world.take())!
    await world.append(id, 0, ['one', 'two'])
    expect((await ann.client.post(`${world.path}/runs/${run.id}/cancel`)).status).toBe(204)
    expect(await world.append(id, 2, [last])).toBe(3)
    const { database, background } = server.app
    await database.transaction((tx) =>
      tx.updateTable('job').set({ run_at: 0 }).where('kind', '=', 'actions.seal_log').execute(),
    )
    await background.drain()
    const [task] = await rows(server, 'action_task', { id: Number(id) })
    expect([task!.is_log_sealed, task!.log_hash !== '', task!.token_hash]).toEqual([1, isBlob, ''])
    expect(await rows(server, 'action_log', { task_id: Number(id) })).toHaveLength(isBlob ? 0 : 2)
    expect(await world.logOf(jobs[0]!)).toEqual(['one', 'two', last])
    await expect(world.append(id, 3, ['late'])).rejects.toMatchObject({ status: 409 })
  })

  it('leaves the steps that had not begun as skipped', async () => {
    const { server, ann } = world
    const { run, jobs } = await world.queue(['a'])
    await server.app.database.transaction((tx) =>
      tx.updateTable('action_job').set({ steps: '["first","second"]' }).where('id', '=', jobs[0]!).execute(),
    )
    const id = (await world.take())!
    const state = { id, steps: [{ id: 0n, startedAt: { seconds: 1n } }] }
    await world.runner.call(rpc.updateTask, { state })
    await ann.client.post(`${world.path}/runs/${run.id}/cancel`)
    const steps = await rows(server, 'action_step', { task_id: Number(id) })
    expect(steps.map(({ status }) => status)).toEqual(['cancelled', 'skipped'])
  })
})

describeOnBoth('a task whose step says nothing for a long time', (on) => {
  const world = runnerWorld(on)

  it.each(['UpdateLog', 'UpdateTask'])('continues while its runner sends %s without changes', async (method) => {
    const { jobs } = await world.queue(['a', 'b'])
    const [heard, silent] = [(await world.take())!, (await world.take())!]
    const { database, jobs: background, background: work } = world.server.app
    await database.transaction((tx) => tx.updateTable('action_task').set({ updated_at: 1 }).execute())
    if (method === 'UpdateLog') expect(await world.append(heard, 0, [])).toBe(0)
    else await world.runner.call(rpc.updateTask, { state: { id: heard } })
    await database.transaction((tx) => background.enqueue(tx, 'actions.end_overdue', { kind: 'zombie' }))
    await work.drain()
    const found = await rows(world.server, 'action_job', { repo_id: world.repoId })
    expect(found.map(({ id, status }) => [id, status])).toEqual([
      [jobs[0], 'running'],
      [jobs[1], 'failure'],
    ])
    expect((await world.runner.call(rpc.updateTask, { state: { id: silent } })).state!.result).toBe(Result.FAILURE)
  })
})

describeOnBoth('a task that needs the jobs of a matrix', (on) => {
  const world = runnerWorld(on)

  it.each([
    [['success', 'skipped'], Result.SUCCESS],
    [['skipped', 'skipped'], Result.SKIPPED],
    [['success', 'failure'], Result.FAILURE],
  ] as const)('gets of %j the result that a run would have', async ([first, second], result) => {
    const factory = createActionsFactory(world.server.app)
    const jobs = { a: { status: first }, b: { status: 'waiting', needs: ['a'], labels: ['host'] } } as const
    const { run } = await factory.run(world.repoId as never, { jobs })
    await factory.job(run, 'a', second)
    const { task } = await world.runner.call(rpc.fetchTask, {})
    expect(task!.needs['a']).toMatchObject({ result, outputs: {} })
  })
})

describeOnBoth('jobs that wait as long as others', (on) => {
  const world = runnerWorld(on)

  it('are taken in their order, whatever their labels', async () => {
    const labels = [['x64', 'host'], ['host'], ['host', 'x64'], ['arm', 'host'], ['host']]
    const jobs = labels.map((some, at) => [`j${at}`, { labels: some, status: 'waiting' }] as const)
    await createActionsFactory(world.server.app).run(world.repoId as never, { jobs: Object.fromEntries(jobs) })
    const runner = await world.newRunner({ labels: ['arm', 'host', 'x64'] })
    const { task, additionalTasks } = await runner.call(rpc.fetchTask, { taskCapacity: 5n })
    const taken = [task, ...additionalTasks].map((one) => one!.context!['job'])
    expect(taken).toEqual(['j0', 'j1', 'j2', 'j3', 'j4'])
  })
})

describeOnBoth('the log of a task', (on) => {
  const world = runnerWorld(on)

  it.each([1_999, 2_000, 2_001, 4_000])('is complete after a last request with %d rows', async (count) => {
    await world.queue(['a'])
    const id = (await world.take())!
    const contents = Array.from({ length: count }, (_, line) => `line ${line}`)
    expect(await world.append(id, 0, contents, true)).toBe(count)
    await expect(world.append(id, count, ['late'])).rejects.toMatchObject({ status: 409, code: 'already_exists' })
    expect(await world.append(id, 0, contents, true)).toBe(count)
  })
})
