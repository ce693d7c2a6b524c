import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Port } from '../../../core/platform/hook.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import type { MergeRequest } from './merge-request.ts'

/** What the module of merge queues registers. */
export interface MergeQueueHandler {
  /**
   * Puts a pull request at the end of the queue of its base. Throws Invalid with the reason when it cannot be merged
   * that way, Conflict when it is queued already.
   */
  enqueue(actor: SignedIn, target: PullInView, request: MergeRequest): Promise<void>
  /**
   * Returns whether it was queued. Throws Forbidden for accounts that neither queued it nor may merge, Conflict while it
   * is being merged.
   */
  leave(actor: SignedIn, target: PullInView): Promise<boolean>
}

export type MergeQueuePort = Port<MergeQueueHandler>
