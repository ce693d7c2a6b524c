export { findHeadTip } from './heads/find-head-tip.ts'
export { changePull, type PullChange } from './lifecycle/pull-change.ts'
export type { PullGuard } from './pull.guards.ts'
export { presentPull } from './pull.present.ts'
export { isDraftTitle, mergeabilityOf } from './pull.policy.ts'
export type { PullInView } from './pull-in-view.ts'
export type { PullView } from './pull-views.ts'
export type { Pulls } from './pulls.service.ts'
export {
  findPull,
  findPullByIssue,
  listOpenPullsFrom,
  listOpenPullsInto,
  lockPull,
  type Mergeability,
  type Pull,
  updatePull,
} from './records/pull.store.ts'
export type {
  PullReviews,
  ReviewPort,
  ReviewState,
  ReviewSummary,
  StateOptions,
  WantedReviewers,
} from './review-port.ts'
