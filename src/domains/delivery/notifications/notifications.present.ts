import { repoUrls } from '../../../core/access/repo-urls.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type IssueInView, issuePresenters } from '../../issues/index.ts'
import { type WatchInfo, presentRepo } from '../../repositories/index.ts'
import type { ThreadView } from './threads/thread-views.ts'
import type { NotificationSubject, NotificationThread } from './notifications.model.ts'

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
  url: `${issuePresenters.urls(issue, repo, site).api}/subscriptions`,
  repository_url: repoUrls(repo, site).api,
})

const TYPES = { issue: 'Issue', pull: 'Pull', repository: 'Repository' } as const

/** Shows nothing of a unit that the viewer may no longer read (behaviour/issues#notifications). */
export function presentThread({ thread, repo, subject }: ThreadView, site: Site): NotificationThread {
  return {
    id: thread.id,
    repository: repo ? { ...presentRepo(repo, site), permissions: null } : null,
    subject: { ...presentSubject(subject, site), type: TYPES[thread.kind] },
    unread: thread.status === 'unread',
    pinned: thread.status === 'pinned',
    updated_at: wireTime(thread.updatedAt),
    url: `${site.rootUrl()}/api/v1/notifications/threads/${thread.id}`,
  }
}

const HIDDEN = {
  title: '',
  url: '',
  latest_comment_url: '',
  html_url: '',
  latest_comment_html_url: '',
  state: '',
} as const

function presentSubject(subject: ThreadView['subject'], site: Site): Omit<NotificationSubject, 'type'> {
  if (subject.kind === 'hidden') return HIDDEN
  const { repo } = subject
  const ofRepo = repoUrls(repo, site)
  // COMPAT: `url` of a repository is relative (test/delivery/notifications/transfers.test.ts).
  if (subject.kind === 'repository')
    return { ...HIDDEN, title: repo.fullName, url: `/${repo.fullName}`, html_url: ofRepo.html }
  const { issue, isMerged, commentId } = subject
  const state = issue.isClosed ? 'closed' : 'open'
  const urls = issuePresenters.urls(issue, repo, site)
  return {
    title: issue.title,
    url: urls.api,
    html_url: urls.html,
    latest_comment_url: commentId === undefined ? '' : `${ofRepo.api}/issues/comments/${commentId}`,
    latest_comment_html_url: commentId === undefined ? '' : `${urls.html}#issuecomment-${commentId}`,
    state: isMerged ? 'merged' : state,
  }
}
