import { insertImportedPull } from './pulls/imports/insert-import.ts'
import { prepareImport } from './pulls/imports/prepare-import.ts'
import { pushText } from './pulls/lifecycle/move-head.ts'
import { listPullsByIssues } from './pulls/records/pull.store.ts'
import { listPullsOfRefs } from './pulls/records/records.store.ts'
import { claimReviews } from './reviews/imports/claim-reviews.store.ts'
import { dropImportedRequests } from './reviews/imports/drop-requests.ts'
import {
  insertImportedComments,
  insertImportedRequest,
  insertImportedReview,
} from './reviews/imports/insert-imports.ts'
import { prepareReview } from './reviews/imports/prepare-review.ts'
import { findReview } from './reviews/records/review.store.ts'

/** Reads and commands on reviews that run in the transaction of a caller in a later domain. */
export const reviewQueries = {
  find: findReview,
} as const

/** Reads of pull requests for later domains. */
export const pullQueries = {
  listOfRefs: listPullsOfRefs,
} as const

/** Pull requests of other services, which cause no events, jobs or notifications. */
export const pullImports = {
  prepare: prepareImport,
  insert: insertImportedPull,
  listByIssues: listPullsByIssues,
  pushText,
} as const

/** Reviews of other services, and requests for them, which cause no events, jobs or notifications. */
export const reviewImports = {
  prepare: prepareReview,
  insert: insertImportedReview,
  insertComments: insertImportedComments,
  insertRequest: insertImportedRequest,
  dropRequests: dropImportedRequests,
  claim: claimReviews,
} as const
