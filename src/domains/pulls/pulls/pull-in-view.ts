import type { IssueInView } from '../../issues/index.ts'
import type { Pull } from './records/pull.store.ts'

/** A pull request of a repository that the viewer may read. */
export interface PullInView extends IssueInView {
  readonly pull: Pull
}
