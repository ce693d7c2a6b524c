import { flatText } from '../../../core/platform/flat-text.ts'
import { ANONYMOUS } from '../../../core/access/viewer.ts'
import { wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type Repo, presentAttachment } from '../../repositories/index.ts'
import { type User, userPresenters } from '../../accounts/index.ts'
import { issueUrls, onceForEach } from './issue.present.ts'
import type { Issue } from './records/issue.store.ts'
import type { Comment, IssueDependency } from './issues.model.ts'
import type { CommentView } from './comments/comment-views.ts'
import { presentOriginalAuthor } from '../../../core/db/original-author.ts'
import type { HiddenIssue } from './dependencies/dependencies.service.ts'

interface EntryUrls {
  readonly html_url: string
  readonly pull_request_url: string
  readonly issue_url: string
}

/** COMPAT: the addresses of the issue are web pages, and one of them is empty (test/issues/comments.test.ts). */
export function entryUrls(id: number, issue: Issue, html: string): EntryUrls {
  return {
    html_url: flatText(html, '#issuecomment-', id),
    pull_request_url: issue.isPull ? html : '',
    issue_url: issue.isPull ? '' : html,
  }
}

/** Shows the author as an anonymous client sees it (behaviour/issues#the-issue-object). */
export const presentComment = (view: CommentView, site: Site): Comment => commentPresenter(site)(view)

/** `presentComment` for one response: the accounts and issues of several comments are presented once. */
export function commentPresenter(site: Site): (view: CommentView) => Comment {
  const parts = {
    user: onceForEach((user: User) => userPresenters.present(user, ANONYMOUS, site)),
    page: onceForEach((issue: Issue, repo: Repo) => issueUrls(issue, repo, site).html),
  }
  return (view) => presentIn(view, site, parts)
}

interface CommentParts {
  user(user: User): Comment['user']
  page(issue: Issue, repo: Repo): string
}

function presentIn({ comment, author, assets, issue, repo }: CommentView, site: Site, parts: CommentParts): Comment {
  return {
    id: comment.id,
    ...entryUrls(comment.id, issue, parts.page(issue, repo)),
    user: author ? parts.user(author) : userPresenters.presentGhost(site),
    ...presentOriginalAuthor(comment.originalAuthor),
    body: comment.body,
    commit_id: 'commitOid' in comment.payload ? comment.payload.commitOid : '',
    assets: assets.map((asset) => presentAttachment(asset, site)),
    created_at: wireTime(comment.createdAt),
    updated_at: wireTime(comment.updatedAt),
  }
}

/**
 * An issue that the requester may not read. Writers of the dependent issue see its number, title, state and repository;
 * other accounts and restricted tokens see only that it exists (behaviour/issues#dependencies-and-blocks).
 */
export function presentHidden({ issue, repo }: HiddenIssue, seesParts: boolean): IssueDependency {
  return {
    id: 0,
    url: '',
    html_url: '',
    number: seesParts ? issue.number : 0,
    user: null,
    original_author: '',
    original_author_id: 0,
    title: seesParts ? issue.title : 'HIDDEN',
    body: '',
    ref: '',
    assets: [],
    labels: [],
    milestone: null,
    projects: [],
    assignee: null,
    assignees: null,
    state: seesParts && issue.isClosed ? 'closed' : 'open',
    is_locked: false,
    comments: 0,
    created_at: ZERO_TIME,
    updated_at: ZERO_TIME,
    closed_at: null,
    due_date: null,
    pull_request: null,
    repository: seesParts
      ? { id: repo.id, name: repo.name, owner: repo.owner.name, full_name: repo.fullName }
      : { id: 0, name: '', owner: '', full_name: '' },
    pin_order: 0,
    content_version: 0,
    time_estimate: 0,
  }
}
