import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActionsFactory } from '../../../../../test/harness/actions.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'
import { startServer, type TestServer } from '../../../../../test/harness/server.ts'
import type { Database } from '../../../../core/db/database.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import { updateJob } from '../runs/job.store.ts'
import { createTaskQueue } from './task-queue.service.ts'

const QUEUES = 4
const ROUNDS = 5

describeOnBoth('queues of several processes', (on) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ on })
  })
  afterAll(() => server.close())

  const newQueue = (maxRunningPerOwner: number, database: Pick<Database, 'read' | 'transaction'>) =>
    createTaskQueue({
      database: database as Database,
      clock: server.app.clock,
      settings: { maxRunningPerOwner },
      progress: {
        jobStarted: (tx, _run, { id, taskId, attempt }) =>
          updateJob(tx, id, { status: 'running', task_id: taskId, attempt }),
      },
    })
  async function newRunner(name: string) {
    const owner = await server.world.user(name)
    const repoId = asId<RepoId>((await server.world.repo({ owner, name: 'busy' })).id)
    const id = await createActionsFactory(server.app).runner({ kind: 'repository', repoId })
    const place = { ownerId: null, repoId }
    return { ...place, id, uuid: '', name: 'r', version: '', isDisabled: false, isEphemeral: false }
  }

  it('keep the limit of running jobs of an owner together', async () => {
    const { database } = server.app
    const make = createActionsFactory(server.app)
    const runner = await newRunner('ann')
    const { repoId } = runner
    const queues = Array.from({ length: QUEUES }, () => newQueue(1, database))
    for (let round = 0; round < ROUNDS; round++) {
      // NOTE: of different runs and labels, as the lock of one run would keep the limit by itself.
      for (let n = 0; n < QUEUES; n++) await make.run(repoId, { jobs: { a: { labels: [`l${n}`], status: 'waiting' } } })
      const request = { queueVersion: 0, capacity: 1, requestKey: '' }
      const answers = await Promise.all(
        queues.map((queue, n) => queue.fetch({ ...runner, labels: [`l${n}`], queueVersion: 1 }, request)),
      )
      expect(answers.flatMap(({ tasks }) => tasks)).toHaveLength(1)
      await database.transaction((tx) =>
        tx.updateTable('action_job').set({ status: 'success' }).where('repo_id', '=', repoId).execute(),
      )
    }
  })
  it('let a runner ask again when others have taken all the jobs that were tried for it', async () => {
    const { database } = server.app
    const runner = { ...(await newRunner('bob')), labels: ['x'] }
    const { run: make } = createActionsFactory(server.app)
    const isOffered = async (count: number): Promise<boolean> => {
      for (let n = 0; n < count; n++) await make(runner.repoId, { jobs: { a: { labels: ['x'], status: 'waiting' } } })
      const late = newQueue(0, { read: database.read, transaction: async () => undefined as never })
      const request = { queueVersion: 7, capacity: 1, requestKey: '' }
      const answer = await late.fetch({ ...runner, queueVersion: 8 }, request)
      expect(answer.tasks).toEqual([])
      return answer.queueVersion === 7
    }
    expect(await isOffered(19)).toBe(false)
    expect(await isOffered(1)).toBe(true)
    const answer = await newQueue(0, database).fetch(
      { ...runner, queueVersion: 8 },
      { queueVersion: 7, capacity: 1, requestKey: '' },
    )
    expect(answer).toMatchObject({ tasks: [{ id: expect.any(Number) }], queueVersion: 8 })
  })
})
