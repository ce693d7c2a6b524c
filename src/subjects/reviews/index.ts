export { type CommentPlace, listPlacesByEntries, resolveComments } from './records/review-comment.store.ts'
export { findReview } from './records/review.store.ts'
