import type { Database } from '../../../../core/db/database.ts'
import type { Git, GitRepo } from '../../../../core/git/index.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { KeyedMutex } from '../../../../core/platform/concurrency/keyed-mutex.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import type { BatchMerges } from '../../merges/batches/batch-merges.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { LeaveDeps } from '../leave-queue.ts'
import type { Batch, QueuedBranch } from '../records/batch.store.ts'

export interface WorkerDeps extends LeaveDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly log: Logger
  readonly batchMerges: BatchMerges
  /** Pull requests that are tested together. */
  readonly batchSize: number
  /** Until required statuses that have not come count as failed. */
  readonly timeoutMs: number
  /** A queue is worked on by one job of this process at a time; other processes are detected by the rows. */
  readonly locks: KeyedMutex
}

/** A queue that is worked on. */
export interface Place extends QueuedBranch {
  readonly repo: Repo
  readonly git: GitRepo
}

/** Whether to go on at once, or to wait for an event. */
export type Step = 'again' | 'wait'

export interface BatchPlace extends Place {
  readonly batch: Batch
}
