import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { IssueKinds } from '../issue.policy.ts'
import type { Position } from './cursor.ts'

/** Which issues a list has, by what their own rows say. Times are epoch milliseconds and inclusive. */
export interface IssueFilter {
  readonly state: 'open' | 'closed' | 'all'
  readonly kinds: IssueKinds
  readonly posterId?: UserId | undefined
  readonly assigneeId?: UserId | undefined
  readonly mentionedId?: UserId | undefined
  /** Asked for a review, itself or as a member of a team. */
  readonly requestedOfId?: UserId | undefined
  readonly reviewedById?: UserId | undefined
  /** Pull requests alone: those that are drafts, or those that are none. */
  readonly isDraft?: boolean | undefined
  readonly since?: number | undefined
  readonly before?: number | undefined
  readonly texts?: TextQuery | undefined
  /** Only what is behind this position in the order. */
  readonly after?: Position | undefined
}

/** All words occur in one text of the issue, or the issue has the number. */
export interface TextQuery {
  /** Folded; at least one. */
  readonly words: readonly string[]
  readonly number: number | undefined
}

/** A set of rows, and how many issues have one of them. */
export interface Named {
  readonly ids: readonly number[]
  readonly count: number
}

export const ISSUE_SORTS = [
  'latest',
  'oldest',
  'recentupdate',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'nearduedate',
  'farduedate',
] as const
export type IssueSort = (typeof ISSUE_SORTS)[number]
