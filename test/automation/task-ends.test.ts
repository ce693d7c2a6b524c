import { expect, it } from 'vitest'
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
