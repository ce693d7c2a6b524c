import { Type } from '@sinclair/typebox'
import type { Tx } from '../../../core/db/database.ts'
import type { JobPayloadsOf, Jobs } from '../../../core/jobs/index.ts'
import type { QueuedBranch } from './records/batch.store.ts'

export const mergeQueueJobPayloads = {
  /** Advances the batch at the head of a queue as far as possible: takes, builds, tests and merges it. */
  'merge_queue.advance': Type.Object({ repo_id: Type.Integer(), branch: Type.String() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof mergeQueueJobPayloads> {}
}

interface Later {
  /** Milliseconds. */
  readonly delay: number
  /** The event for which the job waits, so that a delayed job does not replace one that is due now. */
  readonly what: string
}

export const enqueueAdvance = (
  jobs: Jobs,
  tx: Tx,
  { repoId, branch }: QueuedBranch,
  { delay, what }: Later = { delay: 0, what: '' },
): Promise<void> =>
  jobs.enqueue(tx, 'merge_queue.advance', { repo_id: repoId, branch }, { key: `${repoId} ${what} ${branch}`, delay })
