import type { Core } from '../../../../core/module.ts'
import type { GitRepo } from '../../../../core/git/index.ts'
import type { KeyedMutex } from '../../../../core/platform/concurrency/keyed-mutex.ts'
import type { BatchMerges } from '../../merges/batches/batch-merges.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { LeaveDeps } from '../leave-queue.ts'
import type { Batch, QueuedBranch } from '../records/batch.store.ts'

export interface WorkerDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'log'>, LeaveDeps {
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
