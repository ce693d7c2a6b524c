import type { Database } from '../../../core/db/database.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { type Guard, nested } from '../../../core/http/guards/guard.ts'
import { type DomainError, forbidden } from '../../../core/platform/errors.ts'
import type { IssueGuard } from '../issues/issue.guards.ts'
import type { IssueInView } from '../issues/views.ts'
import { listAssigneeIds } from '../issues/records/issue-assignee.store.ts'
import { isTracking, mayTrack } from './tracking.policy.ts'

interface TrackerGuardOptions {
  readonly level: 'read' | 'write'
  /** The error when time tracking is off; a 403 without a message by default. */
  readonly whenOff?: () => DomainError
}

/** An issue to which the requester may add times; others get 403 without a message. */
export const createTrackerGuard =
  ({ read }: Database, issueGuard: IssueGuard) =>
  ({ level, whenOff }: TrackerGuardOptions): Guard<IssueInView> =>
    nested(issueGuard(level, { needsUser: true, refusal: '' }), {
      describe: `${level} the unit of the issue, and enter times for it`,
      resolve: async ({ issue }) => ({ assigneeIds: (await listAssigneeIds(read, [issue.id])).get(issue.id) ?? [] }),
      decide(found, { viewer }) {
        if (whenOff !== undefined && !isTracking(found.repo)) throw whenOff()
        if (!mayTrack(requireUser(viewer), found)) throw forbidden('')
      },
    })
