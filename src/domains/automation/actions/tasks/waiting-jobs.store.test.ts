import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActionsFactory } from '../../../../../test/harness/actions.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'
import { queriesOf } from '../../../../../test/harness/queries.ts'
import { registerRunner, rpc } from '../../../../../test/harness/runner.ts'
import { startServer, type TestServer } from '../../../../../test/harness/server.ts'
import type { Person } from '../../../../../test/harness/world.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { hasApprovedRun } from '../runs/run.store.ts'
import { listWaitingGroups, listWaiting } from './waiting-jobs.store.ts'

const BATCHES = 100
const SITE = { ownerId: null, repoId: null }

describeOnBoth('ten thousand waiting jobs', (on) => {
  let server: TestServer
  let bob: Person
  const repos: { id: number; ownerId: number }[] = []
  beforeAll(async () => {
    server = await startServer({ on })
    const { database } = server.app
    for (const login of ['ann', 'bob']) {
      const owner = await server.world.user(login)
      bob = owner
      const { id } = await server.world.repo({ owner, name: 'busy' })
      const { run } = await createActionsFactory(server.app).run(asId(id))
      repos.push({ id, ownerId: owner.user.id })
      const rowsOf = (batch: number) =>
        Array.from({ length: BATCHES }, (_, i) => ({
          repo_id: id,
          run_id: run.id,
          key: `j${batch}-${i}`,
          name: 'job',
          labels: i % 2 === 0 ? '["host"]' : '["docker"]',
          status: 'waiting' as const,
          created_at: 1,
          updated_at: 1000 + batch * BATCHES + i,
        }))
      await database.transaction(async (tx) => {
        for (let i = 0; i < BATCHES / 2; i++) await tx.insertInto('action_job').values(rowsOf(i)).execute()
      })
    }
  })
  afterAll(() => server.close())

  const groupsOf = async (place: { ownerId: number | null; repoId: number | null }) =>
    (await listWaitingGroups(server.app.database.read, place))
      .toSorted((a, b) => a.repoId - b.repoId || a.jobId - b.jobId)
      .map(({ repoId, labels, since }) => [repoId, labels[0], since])

  it('are offered as one group for each repository and its labels, with the time of the oldest', async () => {
    const [ann, bob] = repos
    const of = (repo = ann!) => [
      [repo.id, 'host', 1000],
      [repo.id, 'docker', 1001],
    ]
    expect(await groupsOf(SITE)).toEqual([...of(ann), ...of(bob)])
    expect(await groupsOf({ ownerId: bob!.ownerId, repoId: null })).toEqual(of(bob))
    expect(await groupsOf({ ownerId: null, repoId: ann!.id })).toEqual(of(ann))
    const { database } = server.app
    await database.transaction((tx) =>
      tx.updateTable('repo').set({ is_archived: 1 }).where('id', '=', ann!.id).execute(),
    )
    expect(await groupsOf(SITE)).toEqual(of(bob))
  })

  it('are found by looking up a few rows of indexes', async () => {
    const { database } = server.app
    const { id, ownerId } = repos[1]!
    const asked = await queriesOf(database, async () => {
      await listWaitingGroups(database.read, SITE)
      await listWaitingGroups(database.read, { ownerId: null, repoId: id })
      await listWaiting(database.read, { repoId: asId(id), labels: ['host'] }, 20)
      await hasApprovedRun(database.read, asId(id), asId(ownerId))
    })
    expect(asked).toHaveLength(4)
    const explain = on === 'sqlite' ? 'explain query plan' : 'explain analyze'
    for (const [index, { sql, parameters }] of asked.entries()) {
      const { rows } = await database.read.executeQuery<Record<string, string>>(
        CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
      )
      const plan = rows.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n')
      // A plan of PostgreSQL for a table with two rows says nothing.
      if (on === 'sqlite' || index < 3)
        expect(plan).toContain(index < 3 ? 'action_job_waiting_idx' : 'action_run_approved_idx')
      expect(plan).not.toMatch(/SCAN action_|TEMP B-TREE|Seq Scan on action_job|Sort Key|Removed by Filter: \d{3}/)
    }
  })

  it('cost runners that wait for others one statement, and two when a job has begun to wait', async () => {
    const { json } = await bob.client.get('/repos/bob/busy/actions/runners/registration-token')
    const runner = await registerRunner(server.url, json.token, { labels: ['other'] })
    const { tasksVersion } = await runner.call(rpc.fetchTask, {})
    const askedFor = (version: bigint) =>
      queriesOf(server.app.database, async () => {
        expect((await runner.call(rpc.fetchTask, { tasksVersion: version })).task).toBeUndefined()
      })
    expect(await askedFor(tasksVersion)).toHaveLength(1)
    expect(await askedFor(0n)).toHaveLength(2)
  })
})
