import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { type Issue, recordEntries } from '../../issues/index.ts'
import { enqueueAdvance } from './enqueue-advance.ts'
import { deleteBatch, lockBatch, type QueuedBranch } from './records/batch.store.ts'
import { deleteEntry, listEntriesOfBatch, type QueueEntry, updateEntries } from './records/entry.store.ts'

export interface LeaveDeps {
  readonly events: Events
  readonly jobs: Jobs
}

interface Leaving {
  readonly actor: Actor
  /** Locked, as the pull request and the repository are. */
  readonly issue: Issue
  readonly entry: QueueEntry
  /** For the timeline and for followers. */
  readonly reason: string
  /** The server removes it; no user asked for it. */
  readonly isFailure: boolean
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * Removes a pull request from its queue; the others of its batch wait again. False, and nothing happens, while it is
 * being merged.
 */
export async function leaveQueue({ events, jobs }: LeaveDeps, tx: Tx, leaving: Leaving): Promise<boolean> {
  const { actor, issue, entry, reason, isFailure, at } = leaving
  if (!(await dissolveBatch(tx, entry, entry.batchId))) return false
  await deleteEntry(tx, entry.pullId)
  const entryOfTimeline = { kind: 'pull_cancel_scheduled_merge', body: `Left the merge queue: ${reason}` } as const
  await recordEntries(tx, { issue, actorId: actor.account.id, at }, entryOfTimeline)
  await events.append(
    tx,
    'merge_queue.left',
    { actor, repoId: issue.repoId, at },
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

/** Makes the pull requests of a batch wait again. False when they are being merged. The repository is locked. */
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
