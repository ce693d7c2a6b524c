import { repoUrls, type RepoUrls } from '../../../core/access/repo-urls.ts'
import { ANONYMOUS, type Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import { flatText } from '../../../core/platform/flat-text.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type Repo, presentAttachment } from '../../repositories/index.ts'
import type { Label } from '../labels/label.store.ts'
import { presentLabel } from '../labels/label.present.ts'
import { presentMilestone } from '../milestones/milestone.present.ts'
import { presentProject } from '../projects/project.present.ts'
import type { ProjectView } from '../projects/project-views.ts'
import { type User, userPresenters } from '../../accounts/index.ts'
import type { Issue } from './issue.model.ts'
import type { Issue as IssueEntity } from './records/issue.store.ts'
import type { IssueView } from './views.ts'

interface IssueUrls {
  /** The address of the web page. */
  readonly html: string
  /** The address of the API resource; that of a pull request is below `/issues`, too. */
  readonly api: string
}

export const issueUrls = (issue: IssueEntity, repo: Repo, site: Site): IssueUrls => urlsIn(repoUrls(repo, site), issue)

function urlsIn({ html, api }: RepoUrls, { number, isPull }: IssueEntity): IssueUrls {
  return { html: flatText(html, isPull ? '/pulls/' : '/issues/', number), api: flatText(api, '/issues/', number) }
}

const optionalTime = (time: number | undefined): string | null => (time === undefined ? null : wireTime(time))

/** The base of the API addresses of an owner's labels. */
const labelOwnerUrl = ({ owner }: Label, repo: Repo, site: Site): string =>
  'repoId' in owner ? repoUrls(repo, site).api : `${site.rootUrl()}/api/v1/orgs/${repo.owner.name}`

export const presentIssueLabel = (label: Label, repo: Repo, site: Site) =>
  presentLabel(label, labelOwnerUrl(label, repo, site))

const presentMeta = ({ pull }: IssueView, { html }: IssueUrls): Issue['pull_request'] =>
  pull
    ? {
        merged: pull.mergedAt !== undefined,
        merged_at: optionalTime(pull.mergedAt),
        draft: pull.isDraft,
        html_url: html,
      }
    : null

/**
 * Shows the author as the viewer may see it, assignees as an anonymous client sees them
 * (behaviour/issues#the-issue-object).
 */
export const presentIssue = (view: IssueView, viewer: Viewer, site: Site): Issue => issuePresenter(viewer, site)(view)

export const presentIssues = (views: readonly IssueView[], viewer: Viewer, site: Site): Issue[] =>
  views.map(issuePresenter(viewer, site))

/** `presentIssue` for one response: what several issues share, such as accounts and labels, is presented once. */
export function issuePresenter(viewer: Viewer, site: Site): (view: IssueView) => Issue {
  const parts = partsFor(viewer, site)
  return (view) => present(view, site, parts)
}

/** Presenters of the entities that issues refer to, shared within one response. */
const partsFor = (viewer: Viewer, site: Site) => ({
  author: onceForEach((user: User) => userPresenters.present(user, viewer, site)),
  assignee: onceForEach((user: User) => userPresenters.present(user, ANONYMOUS, site)),
  label: onceForEach((label: Label, repo: Repo) => presentIssueLabel(label, repo, site)),
  milestone: onceForEach(presentMilestone),
  urls: onceForEach((repo: Repo) => repoUrls(repo, site)),
  repository: onceForEach(({ id, name, owner, fullName }: Repo) => ({
    id,
    name,
    owner: owner.name,
    full_name: fullName,
  })),
  project: (view: ProjectView) => presentProject(view, viewer, site),
})

/** Caches the result for each entity by its id. */
export function onceForEach<Entity extends { readonly id: number }, Args extends unknown[], Model>(
  make: (entity: Entity, ...args: Args) => Model,
): (entity: Entity, ...args: Args) => Model {
  const made = new Map<number, Model>()
  return (entity, ...args) => {
    const known = made.get(entity.id)
    if (known !== undefined) return known
    const model = make(entity, ...args)
    made.set(entity.id, model)
    return model
  }
}

function present(view: IssueView, site: Site, parts: ReturnType<typeof partsFor>): Issue {
  const { issue, repo, author } = view
  const urls = urlsIn(parts.urls(repo), issue)
  const assignees = view.assignees.map((user) => parts.assignee(user))
  return {
    id: issue.id,
    url: urls.api,
    html_url: urls.html,
    number: issue.number,
    user: author ? parts.author(author) : userPresenters.presentGhost(site),
    original_author: issue.originalAuthor?.login ?? '',
    original_author_id: issue.originalAuthor?.id ?? 0,
    title: issue.title,
    body: issue.body,
    ref: issue.ref,
    assets: view.assets.map((asset) => presentAttachment(asset, site)),
    labels: view.labels.map((label) => parts.label(label, repo)),
    milestone: view.milestone ? parts.milestone(view.milestone) : null,
    projects: view.projects.map(parts.project),
    assignee: assignees[0] ?? null,
    assignees: assignees.length === 0 ? null : assignees,
    state: issue.isClosed ? 'closed' : 'open',
    is_locked: issue.isLocked,
    comments: issue.commentsCount,
    created_at: wireTime(issue.createdAt),
    updated_at: wireTime(issue.updatedAt),
    closed_at: optionalTime(issue.closedAt),
    due_date: optionalTime(issue.dueAt),
    pull_request: presentMeta(view, urls),
    repository: parts.repository(repo),
    pin_order: issue.pinOrder,
    content_version: issue.contentVersion,
    time_estimate: issue.timeEstimate,
  }
}

/** How answers of later domains show issues. */
export const issuePresenters = {
  present: presentIssue,
  presentAll: presentIssues,
  presentIssueLabel,
  urls: issueUrls,
} as const
