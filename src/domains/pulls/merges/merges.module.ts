import { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { createPort } from '../../../core/platform/hook.ts'
import { defineModule } from '../../../core/module.ts'
import { type BatchMerges, createBatchMerges } from './batch-merges.ts'
import type { MergeQueueHandler, MergeQueuePort } from './merge-pull.ts'
import { resumeMerges } from './merge-steps.ts'
import { mergeEvents } from './merges.events.ts'
import { mergeJobs } from './merges.jobs.ts'
import { mergeOperations } from './merges.operations.ts'
import { createMerges, type MergesDeps } from './merges.service.ts'
import { mergeProjections } from './merges.projection.ts'
import { mergeSubscriptions } from './merges.subscriber.ts'
import { createPreviewQueue } from './preview/preview-merge.ts'
import { previewOperations } from './preview/preview.operations.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly batchMerges: BatchMerges
    /** The module of merge queues registers itself. */
    readonly mergeQueuePort: MergeQueuePort
  }
}

/** Merging pull requests. */
export const module = defineModule({
  name: 'merges',
  needs: ['issueStateRules', 'issueTimeBookings', 'pullReviews', 'pushes', 'repoReconcilers', 'signer'],
  create(
    { config, database, git, clock, events, jobs, log, processes, site },
    { issueStateRules, issueTimeBookings, pullReviews, pushes, repoReconcilers, signer },
    guards,
  ) {
    const deps: MergesDeps = {
      database,
      read: database.read,
      git,
      clock,
      events,
      jobs,
      log,
      site,
      pushes,
      signer,
      reviews: pullReviews,
      stateRules: issueStateRules,
      timeBookings: issueTimeBookings,
      noReplyDomain: config.service.no_reply_address,
      addsTrailers: config.pull_request.add_co_committer_trailers,
      locks: new KeyedMutex({ name: 'merges', locks: processes.locks }),
      previews: createPreviewQueue(),
      startedAt: processes.startedAt,
      queue: createPort<MergeQueueHandler>('merge queues'),
    }
    repoReconcilers.register((forEachRepo) => forEachRepo((repoId) => resumeMerges(deps, repoId)))
    const merges = createMerges(deps)
    return {
      services: { batchMerges: createBatchMerges(deps), mergeQueuePort: deps.queue },
      operations: [...mergeOperations({ guards, merges }), ...previewOperations({ guards, merges })],
      events: mergeEvents,
      projections: mergeProjections,
      jobs: mergeJobs(deps),
      subscriptions: mergeSubscriptions(jobs),
    }
  },
})
