import type { UserId } from '../../../../core/platform/crypto/ids.ts'

export const PULL_SORTS = [
  'oldest',
  'recentupdate',
  'recentclose',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'nearduedate',
  'farduedate',
] as const
export type PullSort = (typeof PULL_SORTS)[number] | 'latest'

export interface PullFilter {
  readonly state: 'open' | 'closed' | 'all'
  /** Matches pull requests with any of these labels; empty for any. */
  readonly labelIds: readonly number[]
  /** 0 for any. */
  readonly milestoneId: number
  readonly authorId: UserId | undefined
  /** Undefined for any. */
  readonly baseBranch: string | undefined
  readonly headBranch: string | undefined
}
