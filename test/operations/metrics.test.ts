import { expect, it } from 'vitest'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer } from '../harness/server.ts'

describeOnBoth('metrics', (kind) => {
  it('count jobs by kind and state, and repositories', async () => {
    let now = Date.now()
    const server = await startServer({ on: kind, clock: { now: () => now }, settings: { 'metrics.enabled': 'true' } })
    const ann = await server.world.user('ann')
    for (const more of [{}, { private: true }, { private: true }])
      await ann.client.post('/user/repos', { name: `r${Math.random().toString(36).slice(2)}`, ...more })
    await server.drain()
    await createActionsFactory(server.app).run((await ann.client.get('/user/repos')).json[0].id, {
      jobs: { a: { status: 'waiting' }, b: { status: 'waiting' }, c: { status: 'running' }, d: { status: 'success' } },
    })
    await server.app.database.transaction(async (tx) => {
      await tx
        .updateTable('action_job')
        .set({ updated_at: now - 5000 })
        .execute()
      await tx
        .updateTable('action_job')
        .set({ updated_at: now - 90_000 })
        .where('name', '=', 'b')
        .execute()
      const job = (name: string, state: 'dead' | 'running' | 'waiting', runAt: number) => ({
        kind: name,
        key: `${state} ${runAt}`,
        state,
        run_at: runAt,
        payload: '{}',
        created_at: 1,
        lease_until: now + 10_000,
      })
      await tx
        .insertInto('job')
        .values([
          job('test.first', 'waiting', now - 90_000),
          job('test.first', 'waiting', now - 30_000),
          job('test.first', 'dead', now - 900_000),
          job('test.second', 'running', now - 60_000),
          job('test.second', 'waiting', now + 60_000),
        ])
        .execute()
      await tx.updateTable('repo').set({ git_size: 1000, lfs_size: 20, is_archived: 1 }).execute()
    })
    const read = async (): Promise<string> => (await server.anonymous.get('//metrics')).text
    const lines = (text: string, name: string): string[] =>
      text.split('\n').filter((line) => new RegExp(`^ingot_${name}[ {]`).test(line) && !line.includes('"repo.'))
    const text = await read()
    expect(lines(text, 'actions_jobs')).toEqual([
      'ingot_actions_jobs{state="waiting"} 2',
      'ingot_actions_jobs{state="blocked"} 0',
      'ingot_actions_jobs{state="running"} 1',
    ])
    expect(lines(text, 'actions_job_oldest_seconds')).toEqual(['ingot_actions_job_oldest_seconds 90'])
    expect(lines(text, 'jobs').filter((line) => line.includes('test.'))).toEqual([
      'ingot_jobs{kind="test.first",state="queued"} 2',
      'ingot_jobs{kind="test.first",state="running"} 0',
      'ingot_jobs{kind="test.first",state="dead"} 1',
      'ingot_jobs{kind="test.second",state="queued"} 1',
      'ingot_jobs{kind="test.second",state="running"} 1',
      'ingot_jobs{kind="test.second",state="dead"} 0',
    ])
    expect(lines(text, 'job_oldest_seconds').filter((line) => line.includes('test.'))).toEqual([
      'ingot_job_oldest_seconds{kind="test.first"} 90',
      'ingot_job_oldest_seconds{kind="test.second"} 0',
    ])
    expect(lines(text, 'repositor(?:ies|y)[a-z_]*')).toEqual([
      'ingot_repositories{visibility="public"} 1',
      'ingot_repositories{visibility="private"} 2',
      'ingot_repository_forks 0',
      'ingot_repository_mirrors 0',
      'ingot_repositories_archived 3',
      'ingot_repository_bytes{part="git"} 3000',
      'ingot_repository_bytes{part="lfs"} 60',
    ])
    await server.app.database.transaction((tx) => tx.deleteFrom('job').where('kind', '=', 'test.first').execute())
    await server.app.database.transaction((tx) => tx.updateTable('action_job').set({ status: 'success' }).execute())
    now += 10_000
    expect(lines(await read(), 'jobs').filter((line) => line.includes('test.first'))).toEqual([])
    expect(lines(await read(), 'actions_job_oldest_seconds')).toEqual(['ingot_actions_job_oldest_seconds 0'])
    await server.close()
  })
})
