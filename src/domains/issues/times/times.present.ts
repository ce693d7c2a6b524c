import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Static } from '@sinclair/typebox'
import { presentIssue } from '../issues/issue.present.ts'
import type { TrackedTime as TrackedTimeModel } from '../issues/timeline/timeline.model.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { RunningStopwatch } from './stopwatches.service.ts'
import type { TimeView } from './time-views.ts'
import type { StopWatch } from './times.model.ts'
import { durationText } from './tracking.policy.ts'

export function presentTime(
  { time, user, issue }: TimeView,
  viewer: Viewer,
  site: Site,
): Static<typeof TrackedTimeModel> {
  const ghost = userPresenters.presentGhost(site)
  return {
    id: time.id,
    created: wireTime(time.createdAt),
    time: time.seconds,
    user_id: time.originalAuthor ? 0 : (user?.id ?? ghost.id),
    user_name: time.originalAuthor?.login ?? user?.name ?? ghost.login,
    issue_id: time.issueId,
    issue: presentIssue(issue, viewer, site),
  }
}

export const presentStopwatch = ({ startedAt, seconds, issue, repo }: RunningStopwatch): StopWatch => ({
  created: wireTime(startedAt),
  seconds,
  duration: durationText(seconds),
  issue_index: issue.number,
  issue_title: issue.title,
  repo_owner_name: repo.owner.name,
  repo_name: repo.name,
})
