import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type IssueInView, issueUrls } from '../../../issues/index.ts'
import type { WatchInfo } from '../../../repositories/index.ts'

/** Whether a user is notified of an issue; `created_at` is the issue's (behaviour/issues#subscriptions). */
export const presentSubscription = (
  { repo, issue }: Pick<IssueInView, 'repo' | 'issue'>,
  isSubscribed: boolean,
  site: Site,
): WatchInfo => ({
  subscribed: isSubscribed,
  ignored: !isSubscribed,
  reason: null,
  created_at: wireTime(issue.createdAt),
  url: `${issueUrls(issue, repo, site).api}/subscriptions`,
  repository_url: repoUrls(repo, site).api,
})
