import type { TimelineEntry } from '../../issues/index.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import type { CommentPosition } from './records/records.store.ts'
import type { Review } from './records/review.store.ts'
import type { Core, Services } from '../../../core/module.ts'

/** A review that the viewer may see. */
export interface ReviewInView extends PullInView {
  readonly review: Review
}

/** A comment of a review that the viewer may see. */
export interface ReviewCommentInView extends ReviewInView {
  readonly entry: TimelineEntry
  readonly position: CommentPosition
}

export interface ReviewDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'git' | 'log'> {
  readonly attachments: Pick<Services['attachments'], 'deleteOf'>
  readonly texts: Services['textReferences']
}
