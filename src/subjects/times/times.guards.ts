import type { Database } from '../../db/database.ts'
import { requireUser } from '../../http/guards/account.guards.ts'
import { type Guard, onTop } from '../../http/guards/guard.ts'
import { type DomainError, forbidden } from '../../platform/errors.ts'
import { type IssueGuard, type IssueInView, listAssigneeIds } from '../issues/index.ts'
import { isTracking, mayTrack } from './tracking.policy.ts'

interface TrackerGuardOptions {
  readonly level: 'read' | 'write'
  /** The answer where time tracking is off; 403 without a text by default. */
  readonly whenOff?: () => DomainError
}

/** An issue for which the caller may enter times; others get 403 without a text. */
export const createTrackerGuard =
  ({ read }: Database, issueGuard: IssueGuard) =>
  ({ level, whenOff }: TrackerGuardOptions): Guard<IssueInView> =>
    onTop(issueGuard(level, { needsUser: true, refusal: '' }), {
      describe: `${level} the unit of the issue, and enter times for it`,
      resolve: async ({ issue }) => ({ assigneeIds: (await listAssigneeIds(read, [issue.id])).get(issue.id) ?? [] }),
      decide(found, { viewer }) {
        if (whenOff !== undefined && !isTracking(found.repo)) throw whenOff()
        if (!mayTrack(requireUser(viewer), found)) throw forbidden('')
      },
    })
