import type { Tx } from '../../../../core/db/database.ts'
import type { Hook } from '../../../../core/platform/hook.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Issue } from '../records/issue.store.ts'
import type { AccountChange, IssueChange } from './issue-change.ts'

/** A notification for single users, whether they watch the issue or not. */
export interface IssueNotice {
  readonly issue: Issue
  readonly actorId: UserId
  readonly userIds: readonly UserId[]
  readonly reason: 'mentioned' | 'assigned' | 'review-requested'
  /** The comment that mentions them; undefined for the issue itself. */
  readonly commentId?: number | undefined
}

/**
 * The module that notifies users registers what sends a notice. It leaves out users who may not read the issue, users
 * who block the acting account, and that account itself.
 */
export type IssueNotices = Hook<[tx: Tx, notice: IssueNotice]>

/**
 * Rules that forbid states, such as dependencies. A rule throws Precondition when the issue may not get the state, for
 * example because it depends on an open issue.
 */
export type StateRules = Hook<[change: IssueChange, state: 'open' | 'closed']>

/**
 * The module that tracks time registers what books the time that the acting account spent on the issue, unless the
 * repository tracks none: commits that close an issue give it.
 */
export type TimeBookings = Hook<[change: AccountChange, seconds: number]>
