import type { Db } from '../../../../core/db/database.ts'
import type { EventPayload } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { issueQueries } from '../../../issues/index.ts'
import { isDraftTitle } from '../../../pulls/index.ts'

/** Whether an edit made a pull request of a draft (behaviour/issues#notifications). */
export type LeavesDraft = (db: Db, edit: EventPayload<'issue.edited'>) => Promise<boolean>

export function createLeavesDraft(prefixes: readonly string[]): LeavesDraft {
  return async (db, { is_pull: isPull, issue_id: issueId, old_title: oldTitle }) => {
    if (!isPull || oldTitle === undefined || !isDraftTitle(oldTitle, prefixes)) return false
    const issue = await issueQueries.findById(db, asId(issueId))
    return issue !== undefined && !isDraftTitle(issue.title, prefixes)
  }
}
