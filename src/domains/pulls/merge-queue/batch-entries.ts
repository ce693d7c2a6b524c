import { reachesRepo } from '../../../core/access/authorize.ts'
import { ANONYMOUS, systemActor, type Actor } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import type { Core } from '../../../core/module.ts'
import type { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { userQueries } from '../../accounts/index.ts'
import { type CombinedState, statusQueries, protectionQueries, checkRules } from '../../code/index.ts'
import { type Issue, issueQueries, timelineQueries } from '../../issues/index.ts'
import { type Repo, accessQueries, repoQueries } from '../../repositories/index.ts'
import type { BatchMerges } from '../merges/batch-merges.ts'
import { MERGE_NEED, type RequestedMerge } from '../merges/merge-request.ts'
import { findPullByIssue, lockPull } from '../pulls/records/pull.store.ts'
import { halfOf } from './bisect.policy.ts'
import { type Batch, lockBatch, type QueuedBranch, updateBatch, deleteBatch } from './records/batch.store.ts'
import {
  findEntry,
  listEntries,
  type QueueEntry,
  updateEntries,
  deleteEntry,
  listEntriesOfBatch,
} from './records/entry.store.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { enqueueAdvance } from './enqueue-advance.ts'

export interface LeaveDeps {
  readonly events: Events
  readonly jobs: Jobs
}

interface Leaving {
  readonly actor: Actor
  /** The caller has locked it, with its pull request and its repository. */
  readonly issue: Issue
  readonly entry: QueueEntry
  /** Shown in the timeline and to subscribers. */
  readonly reason: string
  /** The server removed it, not a user. */
  readonly isFailure: boolean
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * Removes a pull request from its queue; the rest of its batch waits again. Returns false without a change while it is
 * being merged.
 */
export async function leaveQueue({ events, jobs }: LeaveDeps, tx: Tx, leaving: Leaving): Promise<boolean> {
  const { actor, issue, entry, reason, isFailure, at } = leaving
  if (!(await dissolveBatch(tx, entry, entry.batchId))) return false
  await deleteEntry(tx, entry.pullId)
  const entryOfTimeline = { kind: 'pull_cancel_scheduled_merge', body: `Left the merge queue: ${reason}` } as const
  await timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, entryOfTimeline)
  await events.append(
    tx,
    'merge_queue.left',
    { actor, repoId: issue.repoId, at, entities: { issue } },
    {
      repo_id: issue.repoId,
      issue_id: issue.id,
      number: issue.number,
      pull_id: entry.pullId,
      branch: entry.branch,
      reason,
      is_failure: isFailure,
    },
  )
  await enqueueAdvance(jobs, tx, entry)
  return true
}

/**
 * Returns the pull requests of a batch to the waiting state. False when they are being merged. The caller has locked
 * the repository.
 */
export async function dissolveBatch(tx: Tx, branch: QueuedBranch, batchId: number): Promise<boolean> {
  const batch = batchId === 0 ? undefined : await lockBatch(tx, batchId)
  if (batch === undefined) return true
  if (batch.state === 'merging') return false
  const entries = await listEntriesOfBatch(tx, branch, batch.id)
  const ids = entries.map(({ pullId }) => pullId)
  await updateEntries(tx, ids, { batchId: 0, oid: '' })
  await deleteBatch(tx, batch.id)
  return true
}

const PREFIX = 'refs/queue/'

/** The ref that points to the commit of a batch, for test runners. Readers may fetch it; only the server writes it. */
export const batchRef = ({ branch, id }: Pick<Batch, 'branch' | 'id'>): string => `${PREFIX}${branch}/${id}`

/** Deletes the refs of earlier batches of the branch. */
export async function deleteStaleRefs(git: GitRepo, branch: string, batch: Batch | undefined): Promise<void> {
  const kept = batch && batchRef(batch)
  const below = `${PREFIX}${branch}/`
  const stale = (await git.refs.snapshot())
    .list(below)
    .filter(({ name }) => name !== kept && /^\d+$/.test(name.slice(below.length)))
  if (stale.length > 0) await git.refs.update(stale.map(({ name }) => ({ ref: name, new: git.zeroOid })))
}

export interface WorkerDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'log'>, LeaveDeps {
  readonly batchMerges: BatchMerges
  /** Pull requests that are tested together. */
  readonly batchSize: number
  /** How long to wait for required statuses before missing ones count as failed. */
  readonly timeoutMs: number
  /** One job of this process at a time works on a queue; the rows detect other processes. */
  readonly locks: KeyedMutex
}

/** The queue that a job works on. */
export interface QueueContext extends QueuedBranch {
  readonly repo: Repo
  readonly git: GitRepo
}

/** Whether to continue at once or to wait for an event. */
export type Step = 'again' | 'wait'

export interface BatchContext extends QueueContext {
  readonly batch: Batch
}

export interface CheckedEntry extends RequestedMerge {
  readonly entry: QueueEntry
}

/** Returns undefined when an entry can no longer be merged; that entry was removed from the queue. */
export async function checkEntries(
  deps: WorkerDeps,
  context: QueueContext,
  entries: readonly QueueEntry[],
): Promise<CheckedEntry[] | undefined> {
  const checked: CheckedEntry[] = []
  for (const entry of entries) {
    const found = await checkEntry(deps, context, entry)
    if (typeof found === 'string') {
      await removeEntry(deps, context, entry, found)
      return undefined
    }
    checked.push(found)
  }
  return checked
}

/** The checked merge, or the reason why it is refused now. */
async function checkEntry(deps: WorkerDeps, { repo }: QueueContext, entry: QueueEntry): Promise<CheckedEntry | string> {
  const { read } = deps.database
  const [issue, pull, actor] = await Promise.all([
    issueQueries.findById(read, entry.issueId),
    findPullByIssue(read, entry.issueId),
    userQueries.loadActing(read, entry.actorId, entry.restriction, MERGE_NEED),
  ])
  if (issue === undefined || pull === undefined) return 'it was deleted'
  if (issue.isClosed) return 'it was closed'
  if (pull.baseBranch !== entry.branch) return 'its base is another branch now'
  if (pull.headOid !== entry.headOid) return 'its head was pushed to'
  if (actor === undefined) return 'the account that queued it is not active'
  if (!reachesRepo(actor, repo)) return 'the token that queued it does not reach the repository'
  const target = { repo, issue, pull, access: await accessQueries.load(read, actor, repo) }
  const merge = { actor, target, request: entry.request }
  const problem = await deps.batchMerges.problem(merge)
  return problem ?? { ...merge, entry }
}

/**
 * Removes a pull request that cannot be merged from the queue and notifies its subscribers. Does nothing when it has
 * already been removed.
 */
export async function removeEntry(
  deps: WorkerDeps,
  { repo }: QueueContext,
  entry: QueueEntry,
  reason: string,
): Promise<void> {
  const { database, clock, log } = deps
  log.debug({ pull: entry.pullId, reason }, 'removing a pull request from the merge queue')
  await database.transaction(async (tx) => {
    const issue = await issueQueries.lock(tx, entry.issueId)
    if (issue === undefined || (await lockPull(tx, entry.pullId)) === undefined) return
    await repoQueries.lock(tx, repo.id)
    const found = await findEntry(tx, entry.pullId)
    if (found === undefined || found.headOid !== entry.headOid) return
    await leaveQueue(deps, tx, { actor: systemActor, issue, entry: found, reason, isFailure: true, at: clock.now() })
  })
}

interface RequiredStatuses {
  /** The protection of the branch requires statuses. */
  readonly isRequired: boolean
  readonly state: CombinedState
  /** The contexts that have failed, with their states. */
  readonly failed: string
}

const MAX_NAMED = 5

/** The state of the statuses that the protection of the branch requires of a commit; success when it requires none. */
export async function requiredStatuses(
  { database: { read } }: Pick<WorkerDeps, 'database'>,
  { repo, branch }: Pick<QueueContext, 'branch' | 'repo'>,
  oid = '',
): Promise<RequiredStatuses> {
  const rule = await (await protectionQueries.loadBranchRules(read, repo, ANONYMOUS)).ruleOf(branch)
  if (!rule?.enableStatusCheck) return { isRequired: false, state: 'success', failed: '' }
  const latest = await latestOf(read, { repo, oid })
  const state = await checkRules.requiredChecksState(rule.statusCheckContexts, latest)
  const failed: string[] = []
  if (state === 'failure')
    for (const status of latest)
      if (
        failed.length < MAX_NAMED &&
        (await checkRules.requiredChecksState(rule.statusCheckContexts, [status])) === 'failure'
      )
        failed.push(`${status.context} (${status.state})`)
  return { isRequired: true, state, failed: failed.join(', ') }
}

const latestOf = async (read: Db, { repo, oid }: { readonly repo: QueueContext['repo']; readonly oid: string }) =>
  oid === '' ? [] : (await statusQueries.listLatest(read, { repoId: repo.id, oid })).items

interface Failure {
  readonly entries: readonly QueueEntry[]
  readonly reason: string
}

/**
 * Removes a pull request that failed alone from the queue; splits a larger batch into halves, which are tested one
 * after the other. Earlier suspects outside of this batch are cleared.
 */
export async function failBatch(deps: WorkerDeps, context: BatchContext, { entries, reason }: Failure): Promise<void> {
  const [only] = entries
  if (entries.length === 1 && only !== undefined) return removeEntry(deps, context, only, reason)
  await deps.database.transaction(async (tx) => {
    await repoQueries.lock(tx, context.repoId)
    const batch = await lockBatch(tx, context.batch.id)
    if (batch === undefined || batch.oid !== context.batch.oid) return
    const all = await listEntries(tx, context)
    const failed = all.filter(({ batchId }) => batchId === batch.id)
    if (!(await dissolveBatch(tx, context, batch.id))) return
    const ids = failed.map(({ pullId }) => pullId)
    const suspects = new Set(failed.map(({ suspectId }) => suspectId).filter((id) => id !== 0))
    const others = all.filter(({ batchId, suspectId }) => batchId !== batch.id && suspects.has(suspectId))
    await updateEntries(
      tx,
      others.map(({ pullId }) => pullId),
      { suspectId: 0, maxBatch: 0 },
    )
    const failure = `batch ${batch.id} of ${ids.length}: ${reason}`
    await updateEntries(tx, ids, { suspectId: batch.id, maxBatch: halfOf(ids.length), failure })
  })
}

/** Writes the event of the built commit. The caller has locked the batch, which has a commit. */
export async function announceBuilt(
  { events }: Pick<WorkerDeps, 'events'>,
  tx: Tx,
  { id, repoId, branch, baseOid, oid, builtAt }: Batch,
  merges: readonly Pick<CheckedEntry, 'target'>[],
): Promise<void> {
  await updateBatch(tx, id, { isAnnounced: true })
  await events.append(
    tx,
    'merge_queue.built',
    { actor: systemActor, repoId, at: builtAt },
    {
      repo_id: repoId,
      branch,
      batch_id: id,
      ref: batchRef({ id, branch }),
      base_oid: baseOid,
      oid,
      numbers: merges.map(({ target }) => target.issue.number),
    },
  )
}

/**
 * Announces a batch that was built when no statuses were required and now waits for some; its timeout starts now. Does
 * nothing when the batch has changed.
 */
export async function announceLate(
  deps: WorkerDeps,
  { repoId, batch: { id, oid } }: BatchContext,
  merges: readonly CheckedEntry[],
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await repoQueries.lock(tx, repoId)
    const batch = await lockBatch(tx, id)
    if (batch?.state !== 'testing' || batch.oid !== oid || batch.isAnnounced) return
    const builtAt = deps.clock.now()
    await updateBatch(tx, id, { builtAt })
    await announceBuilt(deps, tx, { ...batch, builtAt }, merges)
  })
}
