export { listReviewsOf, type Review, type ReviewKind } from './records/review.store.ts'
export { PullReview } from './reviews/review.model.ts'
export { presentReview } from './reviews/review.present.ts'
export { loadReviewViews, type ReviewView } from './reviews/review-views.ts'
