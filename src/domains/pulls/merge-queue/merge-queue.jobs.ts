import { defineJob, type JobDefinitions } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { mergeQueueJobPayloads } from './enqueue-advance.ts'
import type { WorkerDeps } from './batch-entries.ts'
import { advanceQueue } from './queue-steps.ts'

export const mergeQueueJobs = (deps: WorkerDeps): JobDefinitions => ({
  'merge_queue.advance': defineJob(
    mergeQueueJobPayloads['merge_queue.advance'],
    ({ repo_id, branch }, signal) => advanceQueue(deps, { repoId: asId(repo_id), branch }, signal),
    { group: 'merge-queue' },
  ),
})
