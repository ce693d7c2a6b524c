import type { Database } from '../../../db/database.ts'
import type { Git, GitRepo } from '../../../git/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts'
import type { Logger } from '../../../platform/logger.ts'
import type { BatchMerges } from '../../merges/index.ts'
import type { Repo } from '../../repos/index.ts'
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
