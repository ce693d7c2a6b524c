import { repoUrls } from '../../../core/access/repo-urls.ts'
import { presentImportedAuthor } from '../../../core/http/openapi/imported-author.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type IssueModel as Issue, issuePresenters } from '../../issues/index.ts'
import { type RepoView, type Repository, presentRepo } from '../../repositories/index.ts'
import { type User, userPresenters } from '../../accounts/index.ts'
import type { PullRequest } from './pull.model.ts'
import { isMergeable, pullHeadRef } from './pull.policy.ts'
import type { PullView } from './pull-views.ts'

/** The pull request object (behaviour/pull-requests#the-pullrequest-object). */
export const presentPull = (view: PullView, viewer: Viewer, site: Site): PullRequest =>
  presentPulls([view], viewer, site)[0]!

/** Pull requests of one list. */
export function presentPulls(views: readonly PullView[], viewer: Viewer, site: Site): PullRequest[] {
  const issues = issuePresenters.presentAll(
    views.map(({ issue }) => issue),
    viewer,
    site,
  )
  const repos = new Map<RepoView, Repository>()
  const repo = (view: RepoView) => repos.getOrInsertComputed(view, () => presentRepo(view, site))
  return views.map((view, position) => present(view, issues[position]!, { viewer, site, repo }))
}

interface Audience {
  readonly viewer: Viewer
  readonly site: Site
  /** Presents each repository once: those of a list are mostly the same. */
  repo(view: RepoView): Repository
}

function present(view: PullView, presented: Issue, { viewer, site, repo }: Audience): PullRequest {
  const { pull, issue, reviews, totals } = view
  const { user, title, body, labels, milestone, assignee, assignees, state, is_locked, ...shown } = presented
  const headRepo = repoOfHead(view)
  const url = `${repoUrls(issue.repo, site).html}/pulls/${issue.issue.number}`
  return {
    id: pull.id,
    url,
    number: issue.issue.number,
    user,
    ...presentImportedAuthor(issue.issue.originalAuthor),
    title,
    body,
    labels,
    milestone,
    assignee,
    assignees: assignees ?? [],
    requested_reviewers: (reviews?.reviewers ?? []).map((reviewer) => userPresenters.present(reviewer, viewer, site)),
    requested_reviewers_teams: [...(reviews?.teams ?? [])],
    state,
    draft: pull.isDraft,
    is_locked,
    comments: shown.comments,
    ...(reviews && reviews.reviewsCount > 0 && { review_comments: reviews.reviewsCount }),
    ...(totals && { additions: totals.additions, deletions: totals.deletions, changed_files: totals.files }),
    html_url: url,
    diff_url: `${url}.diff`,
    patch_url: `${url}.patch`,
    mergeable: isMergeable(pull, { baseOid: view.baseOid, headOid: pull.headOid }),
    ...presentMerge(view, viewer, site),
    allow_maintainer_edit: pull.allowsMaintainerEdit,
    base: { ...presentBase(view), repo: repo(view.base) },
    head: { ...presentHead(view), repo: headRepo ? repo(headRepo) : null },
    merge_base: pull.mergeBase,
    depends_on: [...view.dependsOn],
    due_date: shown.due_date,
    created_at: shown.created_at,
    updated_at: shown.updated_at,
    closed_at: shown.closed_at,
    pin_order: shown.pin_order,
    content_version: shown.content_version,
    flow: pull.isAgit ? 1 : 0,
  }
}

type BranchInfo = Omit<PullRequest['base'], 'repo'>

type MergeMembers = Pick<PullRequest, 'merged' | 'merged_at' | 'merge_commit_sha' | 'merged_by'>

function presentMerge({ pull: { merge }, mergedBy }: PullView, viewer: Viewer, site: Site): MergeMembers {
  if (merge === undefined) return { merged: false, merged_at: null, merge_commit_sha: null, merged_by: null }
  return {
    merged: true,
    merged_at: wireTime(merge.at),
    merge_commit_sha: merge.oid,
    merged_by: presentMerger(mergedBy, viewer, site),
  }
}

const presentMerger = (user: User | undefined, viewer: Viewer, site: Site): PullRequest['merged_by'] =>
  user ? userPresenters.present(user, viewer, site) : userPresenters.presentGhost(site)

const presentBase = ({ pull, baseOid = '' }: PullView): BranchInfo => ({
  label: pull.baseBranch,
  ref: pull.baseBranch,
  sha: baseOid,
  repo_id: pull.baseRepoId,
})

/**
 * The repository of the head; undefined when it was deleted. A repository that is hidden from the viewer is shown
 * without permissions.
 */
const repoOfHead = ({ pull, base, head }: PullView): RepoView | undefined => (pull.isAgit ? base : head)

function presentHead(view: PullView): BranchInfo {
  const { pull, issue, headOid } = view
  const repo_id = repoOfHead(view)?.repo.id ?? -1
  const ref = pullHeadRef(issue.issue.number)
  if (pull.isAgit) return { label: '', ref, sha: pull.headOid, repo_id }
  return headOid === undefined
    ? { label: pull.headBranch, ref, sha: pull.headOid, repo_id }
    : { label: pull.headBranch, ref: pull.headBranch, sha: headOid, repo_id }
}
