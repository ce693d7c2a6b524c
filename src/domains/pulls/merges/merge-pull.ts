import { setTimeout as wait } from 'node:timers/promises'
import type { Tx } from '../../../core/db/database.ts'
import { branchRef, type GitRepo, RefConflictError, retryMoved } from '../../../core/git/index.ts'
import { errors } from '../../errors.ts'
import { PushRefusedError } from '../../code/index.ts'
import { issueQueries } from '../../issues/index.ts'
import { findHeadTip } from '../pulls/heads.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { findPull, findPullByIssue } from '../pulls/records/pull.store.ts'
import { fromRefusal, outOfDate, toMergeError } from './merge-errors.ts'
import { findIntent } from './merges.store.ts'
import type { RequestedMerge, MergeRequest } from './merge-request.ts'
import {
  branchKey,
  build,
  type BuiltStyle,
  intentOf,
  isInProgress,
  type MergeDeps,
  moveBase,
  record,
  resumeMerge,
} from './merge-steps.ts'
import { findManualMerge } from './manual-merges.ts'
import { renewRights } from './renew-rights.ts'
import { loadMergeFacts } from './rules/load-merge-facts.ts'
import { isOverridden, mergeProblem } from './merges.policy.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Port } from '../../../core/platform/hook.ts'

export interface Merged {
  /** The tip of the base right after the merge. */
  readonly oid: string
  readonly baseBranch: string
}

interface Attempt extends RequestedMerge {
  /** A schedule triggered the merge. */
  readonly isAuto: boolean
  /**
   * Runs in the transaction that precedes the move of the base, with the pull request locked. Throws to prevent the
   * move.
   */
  claim?(tx: Tx): Promise<void>
}

/** In each round one concurrent writer of the base succeeds; it may be a push or another server. */
const MAX_ATTEMPTS = 5

/**
 * Merges a pull request (behaviour/pull-requests#merging). Retries up to five times when the base moves during the
 * merge. Throws Invalid with the reason when the merge is refused, Conflict for conflicts and for changed data.
 */
export async function mergePull(deps: MergeDeps, attempt: Attempt): Promise<Merged> {
  const { target } = attempt
  // NOTE: a scheduled merge is retried after the pull request is updated.
  if (!attempt.isAuto) await awaitHead(deps, target)
  const merging = deps.locks.run(branchKey({ repoId: target.repo.id, baseBranch: target.pull.baseBranch }), () =>
    retryMoved(MAX_ATTEMPTS, async () => {
      const renewed = await renewRights(deps.database.read, attempt.actor, target)
      return mergeOnce(deps, { ...attempt, actor: renewed.actor, target: await reload(deps, renewed.target) })
    }),
  )
  return merging.catch((error: unknown) => {
    if (error instanceof PushRefusedError) throw fromRefusal(error)
    throw error instanceof RefConflictError ? outOfDate() : error
  })
}

/** Loads the pull request again, after resuming an interrupted merge of it. */
async function reload(deps: MergeDeps, target: PullInView): Promise<PullInView> {
  const { read } = deps.database
  const intent = await findIntent(read, target.pull.id)
  if (intent !== undefined) {
    if (intent.baseBranch !== target.pull.baseBranch || isInProgress(deps, intent)) throw errors.mergeRunning()
    await resumeMerge(deps, target.repo, intent)
  }
  const issue = await issueQueries.findById(read, target.issue.id)
  const pull = issue && (await findPullByIssue(read, issue.id))
  if (issue === undefined || pull === undefined) throw errors.pullDeleted()
  if (pull.baseBranch !== target.pull.baseBranch) throw errors.baseChanged()
  return { ...target, issue, pull }
}

async function mergeOnce(deps: MergeDeps, attempt: Attempt): Promise<Merged> {
  const { actor, request, target, isAuto } = attempt
  const { repo, pull, issue } = target
  if (issue.isClosed && pull.merge === undefined) throw errors.pullNotOpen()
  const git = deps.git.open(repo)
  const baseOid = (await git.refs.snapshot()).get(branchRef(pull.baseBranch))?.oid
  const canSign = deps.signer !== undefined
  const facts = await loadMergeFacts({ ...deps, canSign }, actor, target, { git, baseOid })
  const problem = mergeProblem(facts, { ...request, isScheduled: false })
  if (problem !== undefined || baseOid === undefined)
    throw problem === undefined ? errors.mergeNotChecked() : errors.mergeRefused(problem)
  const { action: style } = request
  if (style === 'manually-merged') {
    const { oid, at: mergedAt } = await findManualMerge(git, { baseOid, oid: request.mergedOid })
    const intent = intentOf(deps, { actor, target, request, oid }, isAuto)
    await deps.database.transaction((tx) =>
      record(deps, tx, { repo, issueId: issue.id, intent, mergedAt, isFollowedUp: !isAuto }),
    )
    return { oid, baseBranch: pull.baseBranch }
  }
  if (!(await isHeadCurrent(deps, target))) throw errors.mergeNotChecked()
  if (request.headOid !== '' && request.headOid !== pull.headOid) throw errors.headOutOfDate()
  const isChecked = facts.mergeability !== 'checking'
  const isForced = isOverridden(facts, request)
  return git.writing(() => buildAndMove(deps, attempt, { git, baseOid, style, isChecked, isForced }))
}

interface Building {
  readonly git: GitRepo
  readonly baseOid: string
  readonly style: BuiltStyle
  /** The mergeability of these tips is known. */
  readonly isChecked: boolean
  /** An administrator overrides the protection of the branch. */
  readonly isForced: boolean
}

async function buildAndMove(deps: MergeDeps, attempt: Attempt, building: Building): Promise<Merged> {
  const { actor, request, target, isAuto, claim } = attempt
  const { git, baseOid, style, isChecked, isForced } = building
  const { repo, pull } = target
  const outcome = await build(deps, attempt, { git, base: baseOid, style })
  // NOTE: a conflict that the check has not found yet is refused like one that it found.
  if (outcome.kind === 'conflict' && !isChecked) throw errors.mergeNotChecked()
  if (outcome.kind !== 'built') throw toMergeError(outcome, style)
  const merges = [{ actor, request, target, oid: outcome.commit }]
  const branch = pull.baseBranch
  await moveBase(deps, { repo, git, branch, baseOid, merges, isAuto, isForced, ...(claim && { claim }) })
  return { oid: outcome.commit, baseBranch: branch }
}

const DEADLINE_MS = 5000
const PAUSE_MS = 20

/**
 * Waits until the pull request has the tip of its head branch. A push of many branches is answered before a job updates
 * the last pull requests, and a client that merges right after the push means the pushed commits. Throws Invalid after
 * 5 s.
 */
export async function awaitHead(deps: Pick<MergeDeps, 'database' | 'git'>, target: PullInView): Promise<void> {
  const until = performance.now() + DEADLINE_MS
  let { pull } = target
  while (!(await isHeadCurrent(deps, { ...target, pull }))) {
    if (performance.now() > until) throw errors.mergeNotChecked()
    await wait(PAUSE_MS)
    pull = (await findPull(deps.database.read, pull.id)) ?? pull
  }
}

/** Whether the pull request has the tip of its head branch. A closed or merged one is no longer updated. */
async function isHeadCurrent(
  deps: Pick<MergeDeps, 'database' | 'git'>,
  { repo, issue, pull }: PullInView,
): Promise<boolean> {
  if (pull.isClosed || pull.merge !== undefined) return true
  const tip = await findHeadTip(deps, pull, { repo, number: issue.number })
  return tip === undefined || tip === pull.headOid
}

/** Registered by the module of merge queues. */
export interface MergeQueueHandler {
  /**
   * Appends a pull request to the queue of its base. Throws Invalid with the reason when the queue cannot merge it,
   * Conflict when it is already queued.
   */
  enqueue(actor: SignedIn, target: PullInView, request: MergeRequest): Promise<void>
  /**
   * Returns whether the pull request was queued. Throws Forbidden for accounts that neither queued it nor may merge,
   * Conflict while it is being merged.
   */
  leave(actor: SignedIn, target: PullInView): Promise<boolean>
}

export type MergeQueuePort = Port<MergeQueueHandler>
