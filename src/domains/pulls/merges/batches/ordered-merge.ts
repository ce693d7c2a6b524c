import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import type { MergeOrder } from '../merge-order.ts'

/** A merge as it was ordered. */
export interface OrderedMerge {
  readonly actor: SignedIn
  readonly target: PullInView
  readonly order: MergeOrder
}
