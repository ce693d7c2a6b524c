export { listReviewsOf, type Review, type ReviewKind } from './records/review.store.ts'
