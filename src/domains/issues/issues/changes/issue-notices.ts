import type { Tx } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Issue } from '../records/issue.store.ts'

/** What concerns single users, whether they follow the issue or not. */
export interface IssueNotice {
  readonly issue: Issue
  readonly actorId: UserId
  readonly userIds: readonly UserId[]
  readonly reason: 'mentioned' | 'assigned' | 'review-requested'
  /** The comment that mentions them; undefined for the issue itself. */
  readonly commentId?: number | undefined
}

type NoticeHandler = (tx: Tx, notice: IssueNotice) => Promise<void>

/**
 * Port for the module that notifies users: those who may not read the issue, who block the acting account, and that
 * account itself are left out there.
 */
export interface IssueNotices {
  /** While the server is composed. */
  register(handler: NoticeHandler): void
  notify: NoticeHandler
}

export function createIssueNotices(): IssueNotices {
  const handlers: NoticeHandler[] = []
  return {
    register: (handler) => void handlers.push(handler),
    async notify(tx, notice) {
      for (const handle of handlers) await handle(tx, notice)
    },
  }
}
