import { type CredentialRestriction, reachesRepo, restrictionOf } from '../../../core/access/authorize.ts'
import { unitMode } from '../../../core/access/repo-access.ts'
import { actorOf, type SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { branchRef, type GitRepo, RefConflictError } from '../../../core/git/index.ts'
import type { Core, Services } from '../../../core/module.ts'
import type { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import type { IssueId, RepoId } from '../../../core/platform/crypto/ids.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { userQueries } from '../../accounts/index.ts'
import { PushRefusedError } from '../../code/index.ts'
import { type Issue, issueChanges, issueQueries, timelineQueries } from '../../issues/index.ts'
import { type Repo, parseRepoSettings, repoQueries, accessQueries } from '../../repositories/index.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { type Pull, findPullByIssue, listOpenPullsFrom, lockPull, recordMerge } from '../pulls/records/pull.store.ts'
import {
  findIssueOfPull,
  deleteIntent,
  findIntent,
  insertIntent,
  listIntents,
  type MergeIntent,
} from './merges.store.ts'
import type { MergeAction, RequestedMerge } from './merge-request.ts'
import { type CommitDeps, planMergeCommit } from './messages/merge-commit.ts'
import { renewRights } from './renew-rights.ts'
import { deleteSchedule } from './schedules/merge-schedule.store.ts'

/*
 * The steps of a merge. A process may end within or between any two of them.
 *
 * step       what it writes                           recovery, when it fails or the process ends
 * build      objects that no ref refers to            maintenance deletes them
 * claim      the intents, a job that resumes them     the transaction is rolled back; later: `resumeMerge`
 * move       the ref of the base                      not moved: the intents are deleted; else: `resumeMerge`
 * record     pull requests, issues, events, push      `resumeMerge` finds the commit in the base and records it
 * follow-up  closed issues, deletion of the head      the job `merges.follow_up`, which `record` enqueues, runs again
 *
 * One merge and the batch of a queue take the same steps. The caller of `claim` to `record` has the lock of the base,
 * which is by `branchKey`, and is within `writing` of the repository since `build`.
 */

export interface MergeDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events' | 'jobs' | 'log'>, CommitDeps {
  readonly pushes: Pick<Services['pushes'], 'findUnverified' | 'moveRefs' | 'push' | 'requireMergeable'>
  readonly stateRules: Services['issueStateRules']
  readonly timeBookings: Services['issueTimeBookings']
  /** Locks of base branches. Every process of this server takes the lock before it merges into the branch. */
  readonly locks: KeyedMutex
  /** Epoch milliseconds, shared by the processes of a server. Older intents belong to a server that has ended. */
  readonly startedAt: number
}

/** A merge with its built commit. */
export interface BuiltMerge extends RequestedMerge {
  readonly oid: string
}

/** A move of a base branch over the commits of one or more merges. */
export interface BaseMove {
  readonly repo: Repo
  readonly git: GitRepo
  readonly branch: string
  /** The tip that the first merge was built upon. */
  readonly baseOid: string
  /** At least one; each was built upon the one before it. The base is moved as the actor of the first. */
  readonly merges: readonly BuiltMerge[]
  readonly isAuto: boolean
  /** An administrator overrides the protection of the branch. */
  readonly isForced: boolean
  /** Runs in the transaction of `claim`, with the pull requests locked. Throws to prevent the move. */
  claim?(tx: Tx): Promise<void>
}

interface ClaimedMerge {
  readonly issueId: IssueId
  readonly intent: MergeIntent
  /** The common ancestor before the merge. */
  readonly mergeBase: string | undefined
}

export const branchKey = ({ repoId, baseBranch }: Pick<MergeIntent, 'repoId' | 'baseBranch'>): string =>
  `${repoId} ${baseBranch}`

/** Writes the commits of a merge upon `base`. Call within `writing` of the repository. */
export async function build(
  deps: MergeDeps,
  { actor, target, request }: RequestedMerge,
  { git, base, style }: { readonly git: GitRepo; readonly base: string; readonly style: BuiltStyle },
) {
  const commits = await planMergeCommit(deps, { actor, target, request, git, at: deps.clock.now() })
  return git.merges.build({ style, base, head: target.pull.headOid, ...commits })
}

/** The styles that create commits. */
export type BuiltStyle = Exclude<MergeAction, 'manually-merged'>

/**
 * Runs the steps `claim`, `move` and `record`. Throws what `claimMerge` and `claim` of the move throw, PushRefusedError
 * or QuotaExceeded when the move is not allowed, RefConflictError when the base is not at `baseOid`.
 */
export async function moveBase(deps: MergeDeps, move: BaseMove): Promise<void> {
  const { repo, branch, baseOid, merges, isForced } = move
  const claimed = await claim(deps, move)
  const { actor, target } = merges[0]!
  const change = { ref: branchRef(branch), oldOid: baseOid, newOid: merges.at(-1)!.oid }
  try {
    await deps.pushes.requireMergeable(actor, target, change, { isForced })
    await deps.pushes.moveRefs(actor, repo, {
      changes: [change],
      async inTransaction(tx) {
        for (const merge of claimed)
          await record(deps, tx, { ...merge, repo, mergedAt: merge.intent.at, isFollowedUp: !move.isAuto })
      },
    })
  } catch (error) {
    await recoverMove(deps, repo, claimed, error)
    throw error
  }
}

/** NOTE: after an error other than a refusal the ref may have moved. */
async function recoverMove(
  deps: MergeDeps,
  repo: Repo,
  claimed: readonly ClaimedMerge[],
  error: unknown,
): Promise<void> {
  const isRefused = error instanceof PushRefusedError || isDomainError(error, 'quota-exceeded')
  if (isRefused || error instanceof RefConflictError)
    await deps.database.transaction(async (tx) => {
      for (const { intent } of claimed) await clearIntent(deps, tx, intent)
    })
  else for (const { intent } of claimed) await resumeMerge(deps, repo, intent)
}

async function claim(deps: MergeDeps, move: BaseMove): Promise<ClaimedMerge[]> {
  const { git, baseOid, merges, isAuto } = move
  const claimed: (ClaimedMerge & { readonly merge: BuiltMerge })[] = []
  for (const merge of merges) {
    const { issue, pull } = merge.target
    const mergeBase = await git.history.mergeBase(baseOid, pull.headOid)
    claimed.push({ merge, issueId: issue.id, intent: intentOf(deps, merge, isAuto), mergeBase })
  }
  // NOTE: rows are locked in id order, which differs from the order of the batch.
  const ordered = claimed.toSorted((a, b) => a.issueId - b.issueId)
  await deps.database.transaction(async (tx) => {
    for (const { merge, intent } of ordered) await claimMerge(deps, tx, merge, intent)
    await move.claim?.(tx)
  })
  return claimed
}

/** The intent of a claimed merge, or of one that was found in the history. */
export function intentOf(
  { clock, startedAt }: Pick<MergeDeps, 'clock' | 'startedAt'>,
  { actor, target: { repo, pull }, request, oid }: BuiltMerge,
  isAuto: boolean,
): MergeIntent {
  const { deleteBranchAfterMerge } = parseRepoSettings(repo.settings).pulls
  return {
    pullId: pull.id,
    repoId: repo.id,
    baseBranch: pull.baseBranch,
    oid,
    style: request.action,
    actorId: actor.account.id,
    restriction: restrictionOf(actor),
    isAuto,
    deletesBranch: request.deletesBranch ?? deleteBranchAfterMerge,
    server: String(startedAt),
    at: clock.now(),
  }
}

/**
 * Writes the intent. Throws as `lockUnchangedPull`, and `mergeForbidden` when the actor has lost the right to merge since
 * the pull request was loaded: a revoked right must not merge anything after the revocation was confirmed.
 */
async function claimMerge(
  deps: MergeDeps,
  tx: Tx,
  { actor, target }: RequestedMerge,
  intent: MergeIntent,
): Promise<void> {
  const { access } = (await renewRights(tx, actor, target)).target
  if (unitMode(access, 'repo.code') < unitMode(target.access, 'repo.code')) throw errors.mergeForbidden()
  await lockUnchangedPull(tx, target)
  if ((await findIntent(tx, target.pull.id)) !== undefined) throw errors.mergeRunning()
  await insertIntent(tx, intent)
  await enqueueResume(deps, tx, intent)
}

/** Locks an open pull request. Throws when it was deleted, merged, closed or changed since it was loaded. */
export async function lockUnchangedPull(tx: Tx, { issue, pull }: PullInView): Promise<void> {
  const lockedIssue = await issueQueries.lock(tx, issue.id)
  const locked = lockedIssue && (await lockPull(tx, pull.id))
  if (lockedIssue === undefined || locked === undefined) throw errors.pullDeleted()
  if (locked.merge !== undefined) throw errors.mergeDone()
  if (lockedIssue.isClosed) throw errors.pullNotOpen()
  if (locked.headOid !== pull.headOid || locked.baseBranch !== pull.baseBranch) throw errors.headOutOfDate()
}

interface RecordedMerge {
  readonly repo: Repo
  readonly issueId: IssueId
  readonly intent: MergeIntent
  /** Epoch milliseconds; the commit time for a manual merge. */
  readonly mergedAt: number
  /** The common ancestor before the merge. */
  readonly mergeBase?: string | undefined
  /** A client waits for the merge and for `followUp`, which deletes the job that would run it. */
  readonly isFollowedUp?: boolean
}

/**
 * Records that a pull request was merged and closes its issue, in the transaction that records the move of the base.
 * Does nothing when the merge is already recorded or the pull request was deleted.
 */
export async function record(
  deps: Pick<MergeDeps, 'events' | 'jobs'>,
  tx: Tx,
  { repo, issueId, intent, mergedAt, mergeBase, isFollowedUp = false }: RecordedMerge,
): Promise<void> {
  const { events, jobs } = deps
  const issue = await issueQueries.lock(tx, issueId)
  const pull = issue && (await lockPull(tx, intent.pullId))
  await clearIntent(deps, tx, intent)
  if (issue === undefined || pull === undefined || pull.merge !== undefined) return
  await deleteSchedule(tx, pull.id)
  await recordMerge(tx, pull.id, {
    oid: intent.oid,
    style: intent.style,
    byId: intent.actorId,
    at: mergedAt,
    mergeBase,
  })
  const { actorId, at, oid, isAuto, deletesBranch, restriction } = intent
  const actor = actorOf(actorId)
  if (issue.isClosed)
    await timelineQueries.record(tx, { issue, actorId, at }, { kind: 'merge_pull', payload: { commitOid: oid } })
  else {
    const merge = isAuto ? 'auto-merged' : 'merged'
    await issueChanges.changeState({ tx, events, actor, repo, issue, at }, { isClosed: true, commitOid: oid, merge })
  }
  await events.append(
    tx,
    'pull.merged',
    { actor, repoId: repo.id, at },
    { repo_id: repo.id, issue_id: issue.id, number: issue.number, pull_id: pull.id, oid, style: intent.style },
  )
  const ids = { pull_id: pull.id, issue_id: issue.id }
  const followUp = { ...ids, deletes_branch: deletesBranch, ...(restriction && { restriction }) }
  const delay = isFollowedUp ? FOLLOW_UP_DELAY_MS : 0
  await jobs.enqueue(tx, 'merges.follow_up', followUp, { key: String(pull.id), delay })
}

const FOLLOW_UP_DELAY_MS = 3000

interface FollowUp {
  readonly issueId: IssueId
  readonly deletesBranch: boolean
  /** The restriction of the credentials that requested the merge. */
  readonly restriction: CredentialRestriction | undefined
}

/**
 * The last step of a merge: closes the issues that its keywords name and deletes the head branch. Safe to run again,
 * which the job does where this was interrupted.
 */
export async function followUp(deps: MergeDeps, { issueId, deletesBranch, restriction }: FollowUp): Promise<void> {
  const { database, clock, events, jobs } = deps
  const issue = await issueQueries.findById(database.read, issueId)
  const pull = issue && (await findPullByIssue(database.read, issueId))
  const actor = pull?.merge && (await userQueries.loadActing(database.read, pull.merge.byId, restriction))
  const repo = issue && (await repoQueries.findById(database.read, issue.repoId))
  if (issue === undefined || repo === undefined || pull?.merge === undefined || actor === undefined) return
  const applied = { events, actor, at: clock.now(), issueId, repo, oid: pull.merge.oid }
  const done = (tx: Tx): Promise<void> => jobs.cancel(tx, 'merges.follow_up', String(pull.id))
  await database.transaction(async (tx) => {
    await issueChanges.applyMergeKeywords(deps, tx, applied)
    if (!deletesBranch) await done(tx)
  })
  if (!deletesBranch) return
  await deleteHead(deps, actor, issue, pull)
  await database.transaction(done)
}

/**
 * Deletes the head branch of a merged pull request, unless it has new commits, is protected, is the default branch, is
 * the head of another open pull request, or the actor may not write to it (behaviour/pull-requests#merging).
 */
async function deleteHead(deps: MergeDeps, actor: SignedIn, issue: Issue, pull: Pull): Promise<void> {
  const { database, git, clock } = deps
  const repo = pull.headRepoId && (await repoQueries.findById(database.read, pull.headRepoId))
  if (repo === undefined || !reachesRepo(actor, repo) || pull.isAgit || pull.headBranch === repo.defaultBranch) return
  if ((await listOpenPullsFrom(database.read, { repoId: repo.id, branch: pull.headBranch })).length > 0) return
  const opened = git.open(repo)
  const ref = branchRef(pull.headBranch)
  if ((await opened.refs.snapshot()).get(ref)?.oid !== pull.headOid) return
  const access = await accessQueries.load(database.read, actor, repo)
  const entry = { kind: 'delete_branch', payload: { oldRef: pull.headBranch } } as const
  const change = { ref, oldOid: pull.headOid, newOid: opened.zeroOid }
  try {
    await opened.writing(() =>
      deps.pushes.push(actor, { repo, access }, [change], {
        inTransaction: (tx) => timelineQueries.record(tx, { issue, actorId: actor.account.id, at: clock.now() }, entry),
      }),
    )
  } catch (error) {
    if (!(error instanceof RefConflictError) && !(error instanceof PushRefusedError)) throw error
  }
}

/** After this time, another running server has moved the ref or given up. */
const MAX_AGE_MS = 60_000
/** A job whose merge takes longer waits for the lock of the branch. */
const RESUME_DELAY_MS = 3000

const jobKey = ({ pullId, oid }: Pick<MergeIntent, 'pullId' | 'oid'>): string => `${pullId} ${oid}`

async function enqueueResume(
  { jobs }: Pick<MergeDeps, 'jobs'>,
  tx: Tx,
  intent: MergeIntent,
  delay = RESUME_DELAY_MS,
): Promise<void> {
  const { pullId, repoId, oid } = intent
  const payload = { pull_id: pullId, repo_id: repoId, oid }
  await jobs.enqueue(tx, 'merges.recover', payload, { key: jobKey(intent), delay })
}

/** Deletes the intent and the job that would resume it. */
async function clearIntent({ jobs }: Pick<MergeDeps, 'jobs'>, tx: Tx, intent: MergeIntent): Promise<void> {
  await deleteIntent(tx, intent)
  await jobs.cancel(tx, 'merges.recover', jobKey(intent))
}

/**
 * Whether the process that wrote the intent may still be running the merge. The caller holds the lock of the base
 * branch, so a process of this server has finished.
 */
export const isInProgress = (
  { clock, startedAt }: Pick<MergeDeps, 'clock' | 'startedAt'>,
  { at, server }: MergeIntent,
): boolean => server !== String(startedAt) && at >= startedAt && at > clock.now() - MAX_AGE_MS

/** Resumes interrupted merges into a repository after a crash. */
export async function resumeMerges(deps: MergeDeps, repoId: RepoId): Promise<void> {
  for (const intent of await listIntents(deps.database.read, repoId)) await resumeInterrupted(deps, intent)
}

/**
 * Resumes the merge if its intent still exists and no process works on it; retries later when another server may be
 * working on it.
 */
export async function resumeInterrupted(
  deps: MergeDeps,
  { pullId, repoId, oid }: Pick<MergeIntent, 'pullId' | 'repoId' | 'oid'>,
): Promise<void> {
  const { database, locks } = deps
  const find = async (): Promise<MergeIntent | undefined> => {
    const intent = await findIntent(database.read, pullId)
    return intent?.oid === oid ? intent : undefined
  }
  const found = await find()
  if (found === undefined) return
  await locks.run(branchKey(found), async () => {
    const intent = await find()
    const repo = intent && (await repoQueries.findById(database.read, repoId))
    if (intent === undefined || repo === undefined) return
    if (!isInProgress(deps, intent)) return resumeMerge(deps, repo, intent)
    await database.transaction((tx) => enqueueResume(deps, tx, intent, MAX_AGE_MS))
  })
}

/** Records the merge when the base branch contains its commit, and deletes its intent otherwise. */
export async function resumeMerge(deps: MergeDeps, repo: Repo, intent: MergeIntent): Promise<void> {
  const { database, git, log } = deps
  const { refs, objects, history } = git.open(repo)
  const tip = (await refs.snapshot()).get(branchRef(intent.baseBranch))?.oid
  const exists = tip !== undefined && (await objects.findInfo(intent.oid)) !== undefined
  const isMerged = exists && (await history.isAncestor(intent.oid, tip))
  const issueId = await findIssueOfPull(database.read, intent.pullId)
  log.warn({ pull: intent.pullId, isMerged }, 'resuming an interrupted merge')
  await database.transaction(async (tx) => {
    if (isMerged && issueId !== undefined) await record(deps, tx, { repo, issueId, intent, mergedAt: intent.at })
    else await clearIntent(deps, tx, intent)
  })
}
