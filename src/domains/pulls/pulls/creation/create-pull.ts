import type { Core } from '../../../../core/module.ts'
import { loadRepoGrants } from '../../../../core/access/repo-grants.store.ts'
import { AccessMode, isRepoAdmin, unitMode } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { retryMoved } from '../../../../core/git/index.ts'
import type { MilestoneId } from '../../../../core/platform/crypto/ids.ts'
import { type DomainError, engineErrors, forbidden } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type Issue, type TriageFields, milestoneQueries, issueRules, issueChanges } from '../../../issues/index.ts'
import { type Repo, type RepoInView, accessQueries } from '../../../repositories/index.ts'
import { type Branch, findBranch, findHeadBranch, copyHeadObjects } from '../heads.ts'
import { syncMoved, type SyncMovedDeps } from '../lifecycle/sync-branch.ts'
import { listPushedCommits, recordPushEntry, restoreHeadRef } from '../lifecycle/move-head.ts'
import { checkMerge } from '../mergeability/merge-ref.ts'
import type { PullChange } from '../lifecycle/pull-change.ts'
import type { PullReviews, ReviewPort, WantedReviewers } from '../pull-views.ts'
import { requireNoDuplicate, type InsertDeps, insertPullRequest } from './insert-pull.ts'

export interface NewPull extends WantedReviewers {
  /** `branch`, `user:branch` or `user/repo:branch`. */
  readonly head: string
  readonly base: string
  readonly title: string
  readonly body: string
  /** Logins. */
  readonly assignees: readonly string[]
  /** Labels of the repository or its organization; others are ignored. */
  readonly labelIds: readonly number[]
  readonly milestoneId: MilestoneId | undefined
  /** Epoch milliseconds. */
  readonly dueAt: number | undefined
  /** Undefined for the default of the repository. */
  readonly allowsMaintainerEdit: boolean | undefined
}

export interface PullDeps extends Pick<Core, 'database' | 'git'>, InsertDeps, SyncMovedDeps {
  readonly reviews: PullReviews
}

/**
 * Creates a pull request and checks its mergeability before it returns. The checks run in the order of
 * behaviour/pull-requests#creating-a-pull-request. Throws Invalid, NotFound, BadRequest, Conflict and Forbidden.
 */
export async function createPull(deps: PullDeps, actor: SignedIn, target: RepoInView, input: NewPull): Promise<Issue> {
  const { database, git, reviews } = deps
  const { repo } = target
  const title = issueRules.normalizeTitle(input.title)
  if (title === '') throw engineErrors.fieldRequired('Title')
  if (input.head === input.base) throw sameBranch()
  const head = await findHeadBranch({ read: database.read, git }, actor, repo, input.head)
  const base = await findBranch(git, repo, input.base)
  // NOTE: `owner:branch` can name the base, too.
  if (head.repo.id === base.repo.id && head.name === base.name) throw sameBranch()
  await requireNoDuplicate(database.read, targetOf(base, head))
  if (input.milestoneId && (await milestoneQueries.find(database.read, repo.id, input.milestoneId)) === undefined)
    throw errors.milestoneUnknown(input.milestoneId)
  const plan = await issueChanges.findTriageFields(database.read, actor, repo, input)
  const requestReviews = await reviews.get().prepareRequests(actor, target, input)
  await requireMayCreate(deps, actor, target, head.repo)
  return git
    .open(repo)
    .writing(() => storePull(deps, actor, { repo, base, head, plan, requestReviews, input: { ...input, title } }))
}

const sameBranch = (): DomainError => errors.pullEmpty()

const targetOf = (base: Branch, head: Branch) => ({
  isAgit: false,
  headRepoId: head.repo.id,
  headBranch: head.name,
  baseRepoId: base.repo.id,
  baseBranch: base.name,
})

/** Throws Forbidden for accounts that neither collaborate on the base nor write to the head. */
async function requireMayCreate(
  { database: { read } }: PullDeps,
  actor: SignedIn,
  { repo, access }: RepoInView,
  head: Repo,
): Promise<void> {
  if (isRepoAdmin(access) || unitMode(access, 'repo.code') >= AccessMode.write) return
  if (unitMode(await accessQueries.load(read, actor, head), 'repo.code') >= AccessMode.write) return
  const grants = (await loadRepoGrants(read, actor.account.id, [repo])).get(repo.id)
  if (grants !== undefined && (grants.collaboration !== AccessMode.none || grants.teams.length > 0)) return
  throw forbidden('user must be a collaborator')
}

const MAX_ATTEMPTS = 3

interface Storing {
  readonly repo: Repo
  readonly base: Branch
  readonly head: Branch
  readonly plan: TriageFields
  readonly requestReviews: Awaited<ReturnType<ReviewPort['prepareRequests']>>
  readonly input: NewPull
}

/** NOTE: within `writing` of the repository, so that maintenance keeps the objects until the ref points to them. */
async function storePull(deps: PullDeps, actor: SignedIn, storing: Storing): Promise<Issue> {
  const { git } = deps
  const { repo, base, head } = storing
  const opened = git.open(repo)
  if (head.repo.id !== repo.id)
    await copyHeadObjects(git, { from: head.repo, to: repo, oid: head.oid, known: base.oid })
  const check = await checkMerge(opened, base.oid, head.oid)
  const { issue, pull } = await insertRows(deps, actor, storing, check)
  // NOTE: the response shows the totals and waits for this computation.
  opened.changedFiles.totals(check.mergeBase, head.oid).catch(() => {})
  // NOTE: a push of the head at the same time points the ref to its commit.
  await retryMoved(MAX_ATTEMPTS, () => restoreHeadRef(deps, { id: pull.id, repo, number: issue.number }))
  await syncMoved(deps, actor, [base, head])
  return issue
}

async function insertRows(
  deps: PullDeps,
  actor: SignedIn,
  { repo, base, head, input, plan, requestReviews }: Storing,
  check: Awaited<ReturnType<typeof checkMerge>>,
): Promise<PullChange> {
  const opened = deps.git.open(repo)
  const commits = await listPushedCommits(opened, head.oid, [check.mergeBase])
  await opened.requireRoom()
  const headBranch = { branch: head.name, repoId: head.repo.id, isAgit: false }
  return deps.database.transaction(async (tx) => {
    const created = await insertPullRequest(tx, deps, actor, {
      ...input,
      repo,
      base: base.name,
      head: headBranch,
      check,
      plan,
      async record(change) {
        await recordPushEntry(change, commits)
        await requestReviews(change)
      },
    })
    await issueChanges.recordTriage(created)
    return created
  })
}
