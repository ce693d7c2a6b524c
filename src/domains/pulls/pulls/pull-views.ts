import type { Services } from '../../../core/module.ts'
import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import type { Viewer, SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { type DiffTotals, type Git, isGitError, type GitRepo } from '../../../core/git/index.ts'
import type { RepoId, PullId } from '../../../core/platform/crypto/ids.ts'
import { type DeletedIssue, type Issue, type IssueView, issueQueries } from '../../issues/index.ts'
import { type Repo, type RepoInView, type RepoView, repoQueries } from '../../repositories/index.ts'
import { type User, type TeamModel, userQueries } from '../../accounts/index.ts'
import { loadBranchTips, tipKey, listPullsOfHeads } from './records/records.store.ts'
import { listPullsByIssues, type Pull } from './records/pull.store.ts'
import type { Port } from '../../../core/platform/hook.ts'
import type { PullChange } from './lifecycle/pull-change.ts'
import type { Static } from '@sinclair/typebox'

/** The review data of the wire model of a pull request. */
export interface ReviewSummary {
  /** Accounts with an open request or a counted review, in the order of their reviews. */
  readonly reviewers: readonly User[]
  /** Wire models of teams, with their organization. */
  readonly teams: readonly Static<typeof TeamModel>[]
  /** The number of submitted reviews and drafts. */
  readonly reviewsCount: number
}

/** Reviewers to request: logins or addresses, and names of teams. */
export interface WantedReviewers {
  readonly reviewers: readonly string[]
  readonly teams: readonly string[]
}

/** The facts about reviews that the protection of a branch checks. */
export interface ReviewState {
  /** Official approvals that count, at most one per account. */
  readonly approvals: number
  /** An official review that requests changes and was not dismissed. */
  readonly isRejected: boolean
  /** An official reviewer was requested and has not reviewed. */
  readonly hasOpenRequest: boolean
  /** Accounts that have approved, officially or not. */
  readonly approvers: readonly User[]
}

interface FirstReviewers extends WantedReviewers {
  /** The base branch. */
  readonly base: string
}

/** Throws Forbidden when one of the requested reviewers blocks the actor. */
type RequestReviews = (change: PullChange) => Promise<void>

export interface StateOptions {
  /** Approvals of earlier heads do not count. */
  readonly ignoresStale: boolean
  /** Also excludes approvals that the job after a push has not yet marked as stale. */
  readonly current?: { readonly git: GitRepo; readonly pull: Pull } | undefined
}

/** Registered by the module of reviews: the reviews that pull requests show, and requests for reviews. */
export interface ReviewPort {
  state(pullId: PullId, options: StateOptions): Promise<ReviewState>
  /** Summaries of these pull requests of one repository, with a fixed number of queries; absent without reviews. */
  summarize(viewer: Viewer, repo: Repo, ids: readonly PullId[]): Promise<ReadonlyMap<PullId, ReviewSummary>>
  /**
   * Checks the reviewers that a new pull request of the actor requests. Returns a function that requests them in the
   * transaction that inserts the pull request. Throws NotFound for an unknown user or team, Invalid for one who cannot
   * be requested.
   */
  prepareRequests(actor: SignedIn, target: RepoInView, wanted: FirstReviewers): Promise<RequestReviews>
}

export type PullReviews = Port<ReviewPort>

/** The data of the wire model of a pull request. */
export interface PullView {
  readonly pull: Pull
  readonly issue: IssueView
  readonly base: RepoView
  /** Undefined when the repository was deleted. */
  readonly head: RepoView | undefined
  /** The tip of the base branch; undefined when it was deleted. */
  readonly baseOid: string | undefined
  /**
   * The tip of the head branch, or the proposed commit if the viewer cannot read the branch. Undefined when it or its
   * repository was deleted, and for AGit.
   */
  readonly headOid: string | undefined
  /** Undefined when the account was deleted, and before the merge. */
  readonly mergedBy: User | undefined
  readonly reviews: ReviewSummary | undefined
  /** Numbers of the open pull requests whose head is the base of this open one, oldest first. */
  readonly dependsOn: readonly number[]
  /**
   * Totals between the merge base and the head. Undefined in lists, for AGit, where the head repository was deleted,
   * and for diffs that are too large.
   */
  readonly totals: DiffTotals | undefined
}

export interface PullViewDeps {
  readonly read: Db
  readonly git: Git
  readonly repos: Pick<Services['repos'], 'views'>
  readonly reviews: PullReviews
}

/** The repository of the pull requests, and the pull request if it was already read. */
export type PullTarget = Pick<RepoInView, 'repo'> & { readonly pull?: Pull }

/** Views of pull requests of one repository in the given order, with a fixed number of queries and no process. */
export async function loadPullViews(
  deps: PullViewDeps,
  viewer: Viewer,
  { repo, pull }: PullTarget,
  issues: readonly Issue[],
): Promise<PullView[]> {
  if (issues.length === 0) return []
  const { read } = deps
  const pulls = pull
    ? new Map([[pull.issueId, pull]])
    : await listPullsByIssues(
        read,
        issues.map((issue) => issue.id),
      )
  const metas = new Map([...pulls].map(([id, { isDraft, merge }]) => [id, { mergedAt: merge?.at, isDraft }]))
  const issueViews = issueQueries.loadViews(read, issues, new Map<RepoId, Repo>([[repo.id, repo]]), { pulls: metas })
  return joinViews(deps, viewer, repo, { pulls: [...pulls.values()], issueViews })
}

/** The data of a deleted pull request in its event. */
export interface DeletedPull extends DeletedIssue {
  readonly pull: Pull
}

/** The view of a deleted pull request, without reviews; undefined where the event lacks its issue. */
export async function loadDeletedPullView(
  deps: PullViewDeps,
  viewer: Viewer,
  repo: Repo,
  deleted: DeletedPull,
): Promise<PullView | undefined> {
  const issue = await issueQueries.loadDeletedView(deps.read, deleted, repo)
  if (issue === undefined) return undefined
  return (await joinViews(deps, viewer, repo, { pulls: [deleted.pull], issueViews: [issue] }))[0]
}

interface Parts {
  readonly pulls: readonly Pull[]
  readonly issueViews: readonly IssueView[] | Promise<readonly IssueView[]>
}

async function joinViews(
  deps: PullViewDeps,
  viewer: Viewer,
  repo: Repo,
  { pulls: all, issueViews: loading }: Parts,
): Promise<PullView[]> {
  const { read, reviews } = deps
  const [issueViews, repoViews, tips, mergers, summaries, lower] = await Promise.all([
    loading,
    loadRepoViewsOf(deps, viewer, repo, all),
    loadBranchTips(
      read,
      all.flatMap((pull) => [baseOf(pull), ...headOf(pull)]),
    ),
    userQueries.listByIds(
      read,
      all.flatMap((pull) => pull.merge?.byId ?? []),
    ),
    reviews.get().summarize(
      viewer,
      repo,
      all.map((pull) => pull.id),
    ),
    listPullsOfHeads(read, repo.id, [...new Set(all.flatMap((pull) => stackedOn(repo, pull)))]),
  ])
  const pulls = new Map(all.map((pull) => [pull.issueId, pull]))
  const users = new Map(mergers.map((user) => [user.id, user]))
  return issueViews.flatMap((issue): PullView[] => {
    const pull = pulls.get(issue.issue.id)
    if (pull === undefined) return []
    const [head] = headOf(pull)
    return [
      {
        pull,
        issue,
        base: repoViews.get(repo.id)!,
        head: pull.headRepoId && repoViews.get(pull.headRepoId),
        baseOid: tips.get(tipKey(baseOf(pull))),
        headOid: head && shownTip(pull, tips.get(tipKey(head)), repoViews.get(head.repoId)),
        mergedBy: pull.merge && users.get(pull.merge.byId),
        reviews: summaries.get(pull.id),
        dependsOn: dependenciesOf(stackedOn(repo, pull), lower),
        totals: undefined,
      },
    ]
  })
}

/** NOTE: the default branch stays when a pull request from it is merged: no pull request depends on it. */
const stackedOn = ({ defaultBranch }: Repo, { isClosed, baseBranch }: Pull): string[] =>
  isClosed || baseBranch === defaultBranch ? [] : [baseBranch]

/** A branch may be the head of several pull requests, into different bases. */
const MAX_DEPENDENCIES = 20

const dependenciesOf = (bases: readonly string[], lower: Awaited<ReturnType<typeof listPullsOfHeads>>): number[] =>
  lower
    .filter(({ branch }) => bases.includes(branch))
    .map(({ number }) => number)
    .slice(0, MAX_DEPENDENCIES)

/** A closed pull request is not updated to its branch, so readers of a hidden repository see the proposed commit. */
const shownTip = (pull: Pull, tip: string | undefined, head: RepoView | undefined): string | undefined =>
  tip === undefined || (head && unitMode(head.access, 'repo.code') >= AccessMode.read) ? tip : pull.headOid

/** Like `loadPullViews`, with the totals of the diffs: at most one git process for each. */
export async function loadPullViewsWithTotals(
  deps: PullViewDeps,
  viewer: Viewer,
  target: PullTarget,
  issues: readonly Issue[],
): Promise<PullView[]> {
  const views = await loadPullViews(deps, viewer, target, issues)
  return Promise.all(views.map(async (view) => ({ ...view, totals: await diffTotals(deps.git, target.repo, view) })))
}

const baseOf = ({ baseRepoId, baseBranch }: Pull) => ({ repoId: baseRepoId, branch: baseBranch })
const headOf = ({ headRepoId, headBranch, isAgit }: Pull) =>
  headRepoId === undefined || isAgit ? [] : [{ repoId: headRepoId, branch: headBranch }]

async function loadRepoViewsOf(
  { read, repos }: PullViewDeps,
  viewer: Viewer,
  base: Repo,
  pulls: readonly Pull[],
): Promise<ReadonlyMap<RepoId, RepoView>> {
  const others = new Set(pulls.flatMap((pull) => pull.headRepoId ?? []))
  others.delete(base.id)
  const found = await repoQueries.listByIds(read, [...others])
  const views = await repos.views(viewer, [base, ...found])
  return new Map(views.map((view) => [view.repo.id, view]))
}

async function diffTotals(git: Git, repo: Repo, { pull, head }: PullView): Promise<DiffTotals | undefined> {
  if (head === undefined || pull.isAgit) return undefined
  try {
    return await git.open(repo).changedFiles.totals(pull.mergeBase, pull.headOid)
  } catch (error) {
    // NOTE: a pull request of hundreds of thousands of files can still be read and closed.
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return undefined
    throw error
  }
}
