import type { SignedIn } from '../../../core/access/viewer.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import type { MergeOrder } from './merge-order.ts'

interface MergeQueueHandler {
  /**
   * Puts a pull request at the end of the queue of its base. Throws Invalid with the reason when it cannot be merged
   * that way, Conflict when it is queued already.
   */
  enqueue(actor: SignedIn, target: PullInView, order: MergeOrder): Promise<void>
  /**
   * Returns whether it was queued. Throws Forbidden for those who neither queued it nor may merge, Conflict while it is
   * being merged.
   */
  leave(actor: SignedIn, target: PullInView): Promise<boolean>
}

/** Port for the module that keeps merge queues. */
export interface MergeQueuePort extends MergeQueueHandler {
  /** Once, while the server is composed. */
  register(handler: MergeQueueHandler): void
}

export function createMergeQueuePort(): MergeQueuePort {
  let handler: MergeQueueHandler | undefined
  const registered = (): MergeQueueHandler => {
    if (handler === undefined) throw new Error('no module keeps merge queues')
    return handler
  }
  return {
    register(given) {
      if (handler !== undefined) throw new Error('merge queues are registered twice')
      handler = given
    },
    enqueue: (actor, target, order) => registered().enqueue(actor, target, order),
    leave: (actor, target) => registered().leave(actor, target),
  }
}
