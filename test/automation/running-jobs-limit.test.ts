import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { registerRunner, rpc } from '../harness/runner.ts'
import { runnerWorld } from './runner-world.ts'

describeOnBoth('an owner with as many running jobs as one may have', (kind) => {
  const world = runnerWorld(kind, { 'actions.max_running_jobs_per_owner': '2' })

  it('gets no further task until one ends, while others get theirs', async () => {
    const other = await world.server.world.repo({ owner: world.ann, name: 'other' })
    const bob = await world.server.world.user('bob')
    const ofBob = (await world.server.world.repo({ owner: bob, name: 'r' })).id
    const { token } = (await world.ann.client.get('/user/actions/runners/registration-token')).json
    const ofAnn = await registerRunner(world.server.url, token)
    const { token: bobs } = (await bob.client.get('/user/actions/runners/registration-token')).json
    const runnerOfBob = await registerRunner(world.server.url, bobs)

    await world.queue(['a', 'b'])
    await world.queue(['c', 'd'], other.id)
    const first = await ofAnn.call(rpc.fetchTask, { taskCapacity: 5n })
    const tasks = [first.task!, ...first.additionalTasks]
    expect(tasks).toHaveLength(2)

    const held = await ofAnn.call(rpc.fetchTask, {})
    expect([held.task, held.tasksVersion > 0n]).toEqual([undefined, true])
    const poll = async () => (await ofAnn.call(rpc.fetchTask, { tasksVersion: held.tasksVersion })).task
    expect(await poll()).toBeUndefined()
    await world.queue(['a'], ofBob)
    expect(await world.take(runnerOfBob)).toBeDefined()

    await world.finish(tasks[0]!.id, ofAnn)
    expect(await poll()).toBeDefined()
    expect(await poll()).toBeUndefined()
    await world.finish(tasks[1]!.id, ofAnn)
    expect(await poll()).toBeDefined()
  })

  it('gets no task by the handle of a job', async () => {
    const carl = await world.server.world.user('carl')
    const repo = await world.server.world.repo({ owner: carl, name: 'r' })
    const path = '/repos/carl/r/actions'
    const { token } = (await carl.client.get(`${path}/runners/registration-token`)).json
    const runner = await registerRunner(world.server.url, token)
    await world.queue(['a', 'b', 'c'], repo.id)
    const task = (await world.take(runner))!
    expect(await world.take(runner)).toBeDefined()
    const [{ handle }] = (await carl.client.get(`${path}/runners/jobs`)).json
    expect((await runner.call(rpc.fetchSingleTask, { handle })).task).toBeUndefined()
    await world.finish(task, runner)
    expect((await runner.call(rpc.fetchSingleTask, { handle })).task).toBeDefined()
  })
})
