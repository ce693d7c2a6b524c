import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActionsFactory } from '../../../../../test/harness/actions.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'
import { startServer, type TestServer } from '../../../../../test/harness/server.ts'
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

  it('keep the limit of running jobs of an owner together', async () => {
    const { database, clock } = server.app
    const owner = await server.world.user('ann')
    const repoId = asId<RepoId>((await server.world.repo({ owner, name: 'busy' })).id)
    const make = createActionsFactory(server.app)
    const id = await make.runner({ kind: 'repository', repoId })
    const place = { ownerId: null, repoId }
    const runner = { ...place, id, uuid: '', name: 'r', version: '', isDisabled: false, isEphemeral: false }
    const queues = Array.from({ length: QUEUES }, () =>
      createTaskQueue({
        database,
        clock,
        settings: { maxRunningPerOwner: 1 },
        progress: {
          jobStarted: (tx, _run, { id, taskId, attempt }) =>
            updateJob(tx, id, { status: 'running', task_id: taskId, attempt }),
        },
      }),
    )
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
})
