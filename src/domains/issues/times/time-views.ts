import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { type IssueView, loadIssueViews } from '../issues/views.ts'
import { listIssuesByIds } from '../issues/records/issue.store.ts'
import { repoQueries } from '../../repositories/index.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import type { TrackedTime } from './times.store.ts'

/** The data of the wire model of a tracked time. */
export interface TimeView {
  readonly time: TrackedTime
  /** Undefined when the account was deleted. */
  readonly user: User | undefined
  readonly issue: IssueView
}

/** Loads views with a fixed number of queries, in the given order. */
export async function loadTimeViews(db: Db, viewer: Viewer, times: readonly TrackedTime[]): Promise<TimeView[]> {
  if (times.length === 0) return []
  const [users, issues] = await Promise.all([
    userQueries.listByIds(db, [...new Set(times.map((time) => time.userId))]),
    listIssuesByIds(db, [...new Set(times.map((time) => time.issueId))]),
  ])
  const repos = await repoQueries.listByIds(db, [...new Set(issues.map((issue) => issue.repoId))])
  const views = await loadIssueViews(db, issues, new Map(repos.map((repo) => [repo.id, repo])), { viewer })
  const viewOf = new Map(views.map((view) => [view.issue.id, view]))
  const userOf = new Map(users.map((user) => [user.id, user]))
  return times.flatMap((time) => {
    const issue = viewOf.get(time.issueId)
    return issue === undefined ? [] : { time, user: userOf.get(time.userId), issue }
  })
}
