export { findReview } from './records/review.store.ts'
