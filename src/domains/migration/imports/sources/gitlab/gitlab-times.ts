import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceTrackedTime } from '../../source.ts'
import { GHOST, issueNumberOf, timesOf, countOf } from '../read.ts'
import { type Gitlab, LACKING } from './gitlab.ts'
import { type ReadOptions, listIssues } from './gitlab-issues.ts'

/** The API has only the sum of the times of an issue or merge request, without the people who spent them. */
export async function* readTimes(
  gitlab: Gitlab,
  options: Omit<ReadOptions, 'warn'> & { readonly withIssues: boolean },
  signal: AbortSignal,
): Pages<SourceTrackedTime> {
  const { api, project, offset, clock } = gitlab
  const sumOf = (issue: Members, added: number): SourceTrackedTime[] => {
    const seconds = countOf(members(issue['time_stats'])['total_time_spent'])
    const iid = issueNumberOf(issue['iid'])
    const createdAt = timesOf(issue, clock.now()).updatedAt
    return seconds === 0 || iid === 0 ? [] : [{ id: iid, issue: iid + added, user: GHOST, seconds, createdAt }]
  }
  if (options.withIssues)
    for await (const page of listIssues(gitlab, 0, { ...options, warn: () => {} }, signal))
      yield page.flatMap((issue) => sumOf(issue, 0))
  const pulls = `${project}/merge_requests?scope=all&state=all&order_by=created_at&sort=asc`
  for await (const page of api.pages(pulls, signal, LACKING))
    yield page.map(members).flatMap((pull) => sumOf(pull, offset))
}
