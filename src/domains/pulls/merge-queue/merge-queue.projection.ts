import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId, type PullId } from '../../../core/platform/crypto/ids.ts'
import { issueQueries } from '../../issues/index.ts'
import { findPullByIssue } from '../pulls/records/pull.store.ts'
import { repoQueries } from '../../repositories/index.ts'
import { halfOf } from './bisect.policy.ts'
import { dissolveBatch, type LeaveDeps, leaveQueue } from './batch-entries.ts'
import { enqueueAdvance } from './enqueue-advance.ts'
import { deleteBatch, lockBatch } from './records/batch.store.ts'
import {
  deleteEntry,
  findEntry,
  listEntries,
  listEntriesOfBatch,
  listQueuedBranches,
  type QueueEntry,
  renameQueue,
  updateEntries,
} from './records/entry.store.ts'

/** Removes pull requests from their queue together with the change that invalidates their entry. */
export const mergeQueueProjections = (deps: LeaveDeps): Projections => ({
  'pull.merged': (tx, { payload }) => removeMerged(deps, tx, asId(payload.pull_id)),
  'pull.synchronized': (tx, { payload, ...event }) =>
    removeInvalidated(deps, tx, asId(payload.pull_id), { ...event, reason: 'its head was pushed to' }),
  'pull.retargeted': (tx, { payload, ...event }) =>
    removeInvalidated(deps, tx, asId(payload.pull_id), { ...event, reason: 'its base is another branch now' }),
  async 'issue.closed'(tx, { payload, ...event }) {
    if (!payload.is_pull || payload.merge !== undefined) return
    const pull = await findPullByIssue(tx, asId(payload.issue_id))
    if (pull !== undefined) await removeInvalidated(deps, tx, pull.id, { ...event, reason: 'it was closed' })
  },
  async 'issue.edited'(tx, { payload, ...event }) {
    if (!payload.is_pull || payload.old_title === undefined) return
    const pull = await findPullByIssue(tx, asId(payload.issue_id))
    if (pull?.isDraft) await removeInvalidated(deps, tx, pull.id, { ...event, reason: 'it is a draft now' })
  },
  async 'issue.deleting'(tx, { payload }) {
    const pull = payload.is_pull ? await findPullByIssue(tx, asId(payload.issue_id)) : undefined
    const entry = pull && (await lockQueue(tx, pull.id))
    if (entry === undefined) return
    await dissolveBatch(tx, entry, entry.batchId)
    await enqueueAdvance(deps.jobs, tx, entry)
  },
  async 'branch.renamed'(tx, { payload }) {
    const [from, to] = [payload.from, payload.to]
    const repoId = asId<QueueEntry['repoId']>(payload.repo_id)
    if (!(await listQueuedBranches(tx, repoId)).includes(from)) return
    await repoQueries.lock(tx, repoId)
    const inBatch = (await listEntries(tx, { repoId, branch: from })).find(({ batchId }) => batchId !== 0)
    if (inBatch !== undefined) await dissolveBatch(tx, inBatch, inBatch.batchId)
    await renameQueue(tx, { repoId, branch: from }, to)
    // NOTE: the job of the old name deletes the ref of the old name.
    for (const branch of [from, to]) await enqueueAdvance(deps.jobs, tx, { repoId, branch })
  },
})

/** Locks the queue and returns its entry; undefined when the pull request is not queued. */
async function lockQueue(tx: Tx, pullId: PullId): Promise<QueueEntry | undefined> {
  const seen = await findEntry(tx, pullId)
  if (seen === undefined) return undefined
  await repoQueries.lock(tx, seen.repoId)
  return findEntry(tx, pullId)
}

interface Cause {
  readonly actorId: number
  readonly reason: string
  readonly at: number
}

async function removeInvalidated(deps: LeaveDeps, tx: Tx, pullId: PullId, cause: Cause): Promise<void> {
  const seen = await findEntry(tx, pullId)
  const issue = seen && (await issueQueries.lock(tx, seen.issueId))
  const entry = issue && (await lockQueue(tx, pullId))
  if (issue === undefined || entry === undefined) return
  const { actorId, reason, at } = cause
  const actor: Actor = { account: { id: asId(actorId) } }
  await leaveQueue(deps, tx, { actor, issue, entry, reason, isFailure: false, at })
}

/**
 * Deletes the batch with its last entry; a pull request that was merged outside of the queue makes its batch be
 * rebuilt.
 */
async function removeMerged({ jobs }: LeaveDeps, tx: Tx, pullId: PullId): Promise<void> {
  const entry = await lockQueue(tx, pullId)
  if (entry === undefined) return
  const isOwn = !(await dissolveBatch(tx, entry, entry.batchId))
  await deleteEntry(tx, pullId)
  if (isOwn && (await listEntriesOfBatch(tx, entry, entry.batchId)).length === 0) {
    await lockBatch(tx, entry.batchId)
    await deleteBatch(tx, entry.batchId)
    if (entry.suspectId !== 0) await narrowSuspects(tx, entry)
  }
  await enqueueAdvance(jobs, tx, entry)
}

/** After some suspects of a failed batch were merged, the failing one is among the others. */
async function narrowSuspects(tx: Tx, { repoId, branch, suspectId }: QueueEntry): Promise<void> {
  const others = (await listEntries(tx, { repoId, branch })).filter((entry) => entry.suspectId === suspectId)
  const ids = others.map(({ pullId }) => pullId)
  await updateEntries(tx, ids, { maxBatch: halfOf(ids.length) })
}
