import { findReview } from './reviews/records/review.store.ts'

/** Reads and commands on reviews that run in the transaction of a caller in a later domain. */
export const reviewQueries = {
  find: findReview,
} as const
