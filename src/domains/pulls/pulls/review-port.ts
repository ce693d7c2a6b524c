import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import type { Port } from '../../../core/platform/hook.ts'
import type { PullId } from '../../../core/platform/crypto/ids.ts'
import type { TeamModel, User } from '../../accounts/index.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import type { PullChange } from './lifecycle/pull-change.ts'
import type { Pull } from './records/pull.store.ts'
import type { Static } from '@sinclair/typebox'

/** What the wire model of a pull request shows of its reviews. */
export interface ReviewSummary {
  /** Those with an open request or a counted review, in the order of their reviews. */
  readonly reviewers: readonly User[]
  /** Presented, with their organization. */
  readonly teams: readonly Static<typeof TeamModel>[]
  /** Reviews that were submitted, and drafts. */
  readonly reviewsCount: number
}

/** Who is asked for a review: logins or addresses, and names of teams. */
export interface WantedReviewers {
  readonly reviewers: readonly string[]
  readonly teams: readonly string[]
}

/** What the protection of a branch asks of the reviews of a pull request. */
export interface ReviewState {
  /** Official approvals that count, one of each account. */
  readonly approvals: number
  /** An official review that requests changes and was not dismissed. */
  readonly isRejected: boolean
  /** An official reviewer was asked and has not reviewed. */
  readonly hasOpenRequest: boolean
  /** Who has approved, officially or not. */
  readonly approvers: readonly User[]
}

interface FirstReviewers extends WantedReviewers {
  /** The base branch. */
  readonly base: string
}

/** Throws Forbidden when one of those asked blocks the actor. */
type RequestReviews = (change: PullChange) => Promise<void>

export interface StateOptions {
  /** Approvals of earlier heads do not count. */
  readonly ignoresStale: boolean
  /** Neither do those that the job after a push has not marked as stale yet, of the pull request as it is now. */
  readonly current?: { readonly git: GitRepo; readonly pull: Pull } | undefined
}

/** What the module of reviews registers: what pull requests show of reviews, and how reviews are requested. */
export interface ReviewPort {
  state(pullId: PullId, options: StateOptions): Promise<ReviewState>
  /** Summaries of these pull requests of one repository, with a fixed number of queries; absent for no reviews. */
  summarize(viewer: Viewer, repo: Repo, ids: readonly PullId[]): Promise<ReadonlyMap<PullId, ReviewSummary>>
  /**
   * Checks whom a new pull request of the actor asks for a review. Returns what asks them in the transaction that
   * inserts it. Throws NotFound for an unknown person or team, Invalid for one who cannot be asked.
   */
  prepareRequests(actor: SignedIn, target: RepoInView, wanted: FirstReviewers): Promise<RequestReviews>
}

export type PullReviews = Port<ReviewPort>
