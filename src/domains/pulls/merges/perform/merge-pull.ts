import { restrictionOf } from '../../../../core/access/credential-restriction.ts'
import { unitMode } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { branchRef, type GitRepo, RefConflictError, retryMoved } from '../../../../core/git/index.ts'
import { conflict, notFound } from '../../../../core/platform/errors.ts'
import { findIssueById, lockIssue } from '../../../issues/index.ts'
import { findPullByIssue, lockPull } from '../../pulls/records/pull.store.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { PushRefusedError, type Pushes } from '../../../code/index.ts'
import { parseRepoSettings } from '../../../repositories/index.ts'
import { fromRefusal, mergeRefused, outOfDate, unbuilt } from '../merge-errors.ts'
import type { OrderedMerge } from '../batches/ordered-merge.ts'
import type { MergeAction, MergeOrder } from '../merge-order.ts'
import { type CommitDeps, planMergeCommit } from '../messages/merge-commit.ts'
import { loadMergeFacts } from '../rules/load-merge-facts.ts'
import { isOverridden, mergeProblem } from '../rules/merge-rules.policy.ts'
import { awaitHead, requireHead } from './await-head.ts'
import { enqueueSettling, forgetIntent } from './forget-intent.ts'
import { mergedByHand } from './merged-by-hand.ts'
import { findIntent, insertIntent, type MergeIntent } from './merge-intent.store.ts'
import { recordMerge } from './record-merge.ts'
import { renewRights } from './renew-rights.ts'
import { branchKey, isUnderWay, serverOf, settleIntent, type SettleDeps } from './settle-intent.ts'

export interface MergeDeps extends SettleDeps, CommitDeps {
  readonly pushes: Pick<Pushes, 'findUnverified' | 'moveRefs' | 'push' | 'requireMergeable'>
}

export interface Merged {
  /** The tip of the base right after the merge. */
  readonly oid: string
  readonly baseBranch: string
}

export interface Attempt {
  readonly actor: SignedIn
  readonly order: MergeOrder
  readonly isAuto: boolean
  /** Runs in the transaction after which the base moves, the pull request locked. Throws when it must not move. */
  claim?(tx: Tx): Promise<void>
}

/** Of those who move the same base at the same time one succeeds each time, which may be a push or another server. */
const MAX_ATTEMPTS = 5

/**
 * Merges a pull request (behaviour/pull-requests#merging). A base that moves meanwhile is tried again, five times at
 * most. Throws Invalid with the reason when it cannot be merged, Conflict for conflicts and for what has moved.
 */
export async function mergePull(deps: MergeDeps, target: PullInView, attempt: Attempt): Promise<Merged> {
  // NOTE: one that merges by itself is tried again when the pull request has followed.
  if (!attempt.isAuto) await awaitHead(deps, target)
  const merging = deps.locks.run(branchKey({ repoId: target.repo.id, baseBranch: target.pull.baseBranch }), () =>
    retryMoved(MAX_ATTEMPTS, async () => {
      const { actor, target: renewed } = await renewRights(deps.database.read, attempt.actor, target)
      return mergeOnce(deps, await reload(deps, renewed), { ...attempt, actor })
    }),
  )
  return merging.catch((error: unknown) => {
    throw error instanceof RefConflictError ? outOfDate() : error
  })
}

/** As it is after waiting for earlier merges; what a crash left of one is settled first. */
async function reload(deps: MergeDeps, target: PullInView): Promise<PullInView> {
  const { read } = deps.database
  const intent = await findIntent(read, target.pull.id)
  if (intent !== undefined) {
    if (intent.baseBranch !== target.pull.baseBranch || isUnderWay(deps, intent))
      throw conflict('the pull request is being merged')
    await settleIntent(deps, target.repo, intent)
  }
  const issue = await findIssueById(read, target.issue.id)
  const pull = issue && (await findPullByIssue(read, issue.id))
  if (issue === undefined || pull === undefined) throw notFound('the pull request was deleted meanwhile')
  if (pull.baseBranch !== target.pull.baseBranch) throw conflict('the pull request has another base now')
  return { ...target, issue, pull }
}

async function mergeOnce(deps: MergeDeps, target: PullInView, attempt: Attempt): Promise<Merged> {
  const { actor, order } = attempt
  const { repo, pull, issue } = target
  if (issue.isClosed && pull.merge === undefined) throw notFound('the pull request is closed')
  const git = deps.git.open(repo)
  const baseOid = (await git.refs.snapshot()).get(branchRef(pull.baseBranch))?.oid
  const canSign = deps.signer !== undefined
  const facts = await loadMergeFacts({ ...deps, canSign }, actor, target, { git, baseOid })
  const problem = mergeProblem(facts, { ...order, isScheduled: false })
  if (problem !== undefined || baseOid === undefined) throw mergeRefused(problem ?? 'Please try again later')
  if (order.action === 'manually-merged') {
    const found = await mergedByHand(git, { baseOid, oid: order.mergedOid })
    const intent = intentOf(deps, target, attempt, found.oid)
    const recorded = { repo, issueId: issue.id, intent, mergedAt: found.at, mergeBase: undefined }
    await deps.database.transaction((tx) => recordMerge(deps, tx, recorded))
    return { oid: found.oid, baseBranch: pull.baseBranch }
  }
  await requireHead(deps, target)
  if (order.headOid !== '' && order.headOid !== pull.headOid) throw conflict('head out of date')
  const action = order.action
  const isChecked = facts.mergeability !== 'checking'
  const overridesRule = isOverridden(facts, order)
  return git.writing(() => buildAndMove(deps, target, attempt, { git, baseOid, action, isChecked, overridesRule }))
}

interface Building {
  readonly git: GitRepo
  readonly baseOid: string
  readonly action: Exclude<MergeAction, 'manually-merged'>
  /** The mergeability of these tips is known. */
  readonly isChecked: boolean
  /** An administrator overrides the protection of the branch. */
  readonly overridesRule: boolean
}

/** NOTE: within `writing` of the repository, so that maintenance keeps the objects until the ref points to them. */
async function buildAndMove(
  deps: MergeDeps,
  target: PullInView,
  attempt: Attempt,
  { git, baseOid, action, isChecked, overridesRule }: Building,
): Promise<Merged> {
  const { actor, order } = attempt
  const { repo, pull, issue } = target
  const { headOid, baseBranch } = pull
  const commits = await planMergeCommit(deps, { actor, target, order, git, at: deps.clock.now() })
  const outcome = await git.merges.build({ style: action, base: baseOid, head: headOid, ...commits })
  // NOTE: a conflict that the check would have found is refused as one that it found.
  if (outcome.kind === 'conflict' && !isChecked) throw mergeRefused('Please try again later')
  if (outcome.kind !== 'built') throw unbuilt(outcome, action)
  const intent = intentOf(deps, target, attempt, outcome.commit)
  await deps.database.transaction(async (tx) => {
    await claimPull(deps, tx, { actor, target }, intent)
    await attempt.claim?.(tx)
  })
  const mergeBase = await git.history.mergeBase(baseOid, headOid)
  const recorded = { repo, issueId: issue.id, intent, mergedAt: intent.at, mergeBase }
  try {
    const change = { ref: branchRef(baseBranch), oldOid: baseOid, newOid: outcome.commit }
    await deps.pushes.requireMergeable(actor, target, change, { isForced: overridesRule })
    await deps.pushes.moveRefs(actor, repo, {
      changes: [change],
      inTransaction: (tx) => recordMerge(deps, tx, recorded),
    })
  } catch (error) {
    // NOTE: after any other error, such as an exceeded quota, the ref may have moved, which settling the intent finds
    // out.
    if (error instanceof RefConflictError || error instanceof PushRefusedError)
      await deps.database.transaction((tx) => forgetIntent(deps.jobs, tx, intent))
    else await settleIntent(deps, repo, intent)
    throw error instanceof PushRefusedError ? fromRefusal(error) : error
  }
  return { oid: outcome.commit, baseBranch }
}

export function intentOf(
  { clock, startedAt }: Pick<MergeDeps, 'clock' | 'startedAt'>,
  { repo, pull }: PullInView,
  { actor, order, isAuto }: Attempt,
  oid: string,
): MergeIntent {
  const { deleteBranchAfterMerge } = parseRepoSettings(repo.settings).pulls
  return {
    pullId: pull.id,
    repoId: repo.id,
    baseBranch: pull.baseBranch,
    oid,
    style: order.action,
    actorId: actor.account.id,
    restriction: restrictionOf(actor),
    isAuto,
    deletesBranch: order.deletesBranch ?? deleteBranchAfterMerge,
    server: serverOf({ startedAt }),
    at: clock.now(),
  }
}

/**
 * Writes the intent. Throws Conflict when the pull request changed since it was looked at, MergeRefused when the actor
 * has lost the right that it had then: after a removal was answered nothing is merged.
 */
export async function claimPull(
  { jobs }: Pick<MergeDeps, 'jobs'>,
  tx: Tx,
  { actor, target }: Pick<OrderedMerge, 'actor' | 'target'>,
  intent: MergeIntent,
): Promise<void> {
  const { access } = (await renewRights(tx, actor, target)).target
  if (unitMode(access, 'repo.code') < unitMode(target.access, 'repo.code'))
    throw mergeRefused('User not allowed to merge PR')
  await lockUnchangedPull(tx, target)
  if ((await findIntent(tx, target.pull.id)) !== undefined) throw conflict('the pull request is being merged')
  await insertIntent(tx, intent)
  await enqueueSettling(jobs, tx, intent)
}

/** Locks an open pull request. Throws NotFound, MergeRefused or Conflict when it changed since it was looked at. */
export async function lockUnchangedPull(tx: Tx, { issue, pull }: PullInView): Promise<void> {
  const lockedIssue = await lockIssue(tx, issue.id)
  const locked = lockedIssue && (await lockPull(tx, pull.id))
  if (lockedIssue === undefined || locked === undefined) throw notFound('the pull request was deleted meanwhile')
  if (locked.merge !== undefined) throw mergeRefused('The PR is already merged')
  if (lockedIssue.isClosed) throw notFound('the pull request is closed')
  if (locked.headOid !== pull.headOid || locked.baseBranch !== pull.baseBranch) throw conflict('head out of date')
}
