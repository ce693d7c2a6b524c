import { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { defineModule } from '../../../core/module.ts'
import { mergeQueueEvents } from './merge-queue.events.ts'
import { enqueueAdvance } from './enqueue-advance.ts'
import { mergeQueueJobs } from './merge-queue.jobs.ts'
import { mergeQueueOperations } from './merge-queue.operations.ts'
import { mergeQueueProjections } from './merge-queue.projection.ts'
import { createMergeQueue } from './merge-queue.service.ts'
import { mergeQueueSubscriptions } from './merge-queue.subscriber.ts'
import { listAllQueuedBranches } from './records/entry.store.ts'

declare module '../../../core/module.ts' {
  interface Tuning {
    readonly mergeQueueLength: number
  }
}

/** The maximum number of pull requests in the queue of one branch. */
const MAX_LENGTH = 200

/** The merge queues of protected branches. */
export const module = defineModule({
  name: 'merge-queue',
  needs: ['batchMerges', 'branches', 'mergeQueuePort'],
  create(
    { config, database, git, clock, events, jobs, log, processes, site, tuning },
    { batchMerges, branches, mergeQueuePort },
    guards,
  ) {
    const { merge_queue_batch_size: batchSize, merge_queue_timeout: timeout } = config.pull_request
    const maxLength = tuning.mergeQueueLength ?? MAX_LENGTH
    const deps = { database, git, clock, events, jobs, log, batchMerges, maxLength, batchSize }
    const queue = createMergeQueue(deps)
    mergeQueuePort.register(queue)
    return {
      operations: mergeQueueOperations({ guards, queue, branches, site }),
      events: mergeQueueEvents,
      projections: mergeQueueProjections(deps),
      subscriptions: mergeQueueSubscriptions(jobs),
      jobs: mergeQueueJobs({
        ...deps,
        timeoutMs: timeout * 1000,
        locks: new KeyedMutex({ name: 'merge queues', locks: processes.locks }),
      }),
      async recover() {
        const branches = await listAllQueuedBranches(database.read)
        await database.transaction(async (tx) => {
          for (const branch of branches) await enqueueAdvance(jobs, tx, branch)
        })
      },
    }
  },
})
