import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { queriesOf } from '../harness/queries.ts'
import { registerRunner, rpc } from '../harness/runner.ts'
import { runnerWorld } from './runner-world.ts'

describeOnBoth('a runner that waits', (kind) => {
  const world = runnerWorld(kind)
  const repo = (): string => world.path.replace('/actions', '')
  /** What a runner gets that has learnt before that no job waits. */
  const waiting = async (by = world.runner) => {
    let { tasksVersion } = await by.call(rpc.fetchTask, {})
    return async (): Promise<boolean> => {
      await world.server.drain()
      const answer = await by.call(rpc.fetchTask, { tasksVersion })
      tasksVersion = answer.tasksVersion
      return answer.task !== undefined
    }
  }

  it.each([
    ['archived', { archived: true }, { archived: false }],
    ['without actions', { has_actions: false }, { has_actions: true }],
  ])('gets the jobs of a repository that was %s', async (_, off, on) => {
    expect((await world.ann.client.patch(repo(), off)).status).toBe(200)
    await world.queue(['a'])
    const isGiven = await waiting()
    expect(await isGiven()).toBe(false)
    expect((await world.ann.client.patch(repo(), on)).status).toBe(200)
    expect(await isGiven()).toBe(true)
  })

  it('fetches the jobs of a repository that was transferred to its owner', async () => {
    const bob = await world.server.world.user(`bob-${world.repoId}`)
    const { token } = (await bob.client.get('/user/actions/runners/registration-token')).json
    const ofBob = await registerRunner(world.server.url, token)
    await world.queue(['a'])
    const isGiven = await waiting(ofBob)
    expect(await isGiven()).toBe(false)
    await world.ann.client.post(`${repo()}/transfer`, { new_owner: bob.name })
    const answer = await bob.client.post(`${repo()}/transfer/accept`)
    expect(answer.status).toBe(202)
    expect(await isGiven()).toBe(true)
  })

  it('needs a fraction of a statement per poll when other runners poll at the same time', async () => {
    const runners = await Promise.all(Array.from({ length: 40 }, () => world.newRunner()))
    const { tasksVersion } = await world.runner.call(rpc.fetchTask, {})
    const pollAll = async (): Promise<void> => {
      const answers = await Promise.all(runners.map((runner) => runner.call(rpc.fetchTask, { tasksVersion })))
      expect(answers.map(({ task }) => task)).toEqual(answers.map(() => undefined))
    }
    await pollAll()
    const { database } = world.server.app
    const uuids = runners.map(({ uuid }) => uuid)
    const online_at = Date.now() - 40_000
    await database.transaction((tx) =>
      tx.updateTable('action_runner').set({ online_at }).where('uuid', 'in', uuids).execute(),
    )
    const statements = (await queriesOf(database, pollAll)).map(({ sql }) => sql)
    expect(statements.length).toBeLessThan(10)
    expect(statements.filter((sql) => !sql.startsWith('select "action_runner"'))).toEqual([])
    const times = async (): Promise<number[]> => {
      const rows = await database.read
        .selectFrom('action_runner')
        .select('online_at')
        .where('uuid', 'in', uuids)
        .execute()
      return [...new Set(rows.map((row) => row.online_at))]
    }
    const isWrittenAtOnce = async (): Promise<boolean> => {
      const [first, ...others] = await times()
      return others.length === 0 && first! > Date.now() - 30_000
    }
    await expect.poll(isWrittenAtOnce, { timeout: 10_000 }).toBe(true)
    await world.queue(['a'])
    expect((await runners[0]!.call(rpc.fetchTask, { tasksVersion })).task).toBeDefined()
  })

  it('is deleted some time after its only task was cancelled, when it stays silent', async () => {
    const once = await world.newRunner({ ephemeral: true })
    const { run } = await world.queue(['a'])
    await world.take(once)
    expect((await world.ann.client.post(`${world.path}/runs/${run.id}/cancel`)).status).toBe(204)
    const { database, jobs, background } = world.server.app
    const scan = async (): Promise<number> => {
      await database.transaction((tx) => jobs.enqueue(tx, 'actions.end_overdue', { kind: 'zombie' }))
      await background.drain()
      return (await world.ann.client.get(`${world.path}/runners`)).json.total_count
    }
    // Its next report tells it to stop.
    expect(await scan()).toBe(2)
    await database.transaction(async (tx) => {
      await tx.updateTable('action_task').set({ updated_at: 1 }).where('repo_id', '=', world.repoId).execute()
      await tx.updateTable('action_runner').set({ active_at: 1 }).where('uuid', '=', once.uuid).execute()
    })
    expect(await scan()).toBe(1)
    await expect(world.take(once)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
