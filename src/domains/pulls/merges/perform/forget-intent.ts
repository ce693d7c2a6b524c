import type { Tx } from '../../../../core/db/database.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import { deleteIntent, type MergeIntent } from './merge-intent.store.ts'

/** A merge that takes longer is looked at by a job, which waits for the lock of the branch. */
const SETTLE_DELAY_MS = 3000

const jobKey = ({ pullId, oid }: Pick<MergeIntent, 'pullId' | 'oid'>): string => `${pullId} ${oid}`

/**
 * In the transaction that writes the intent: a job that settles it, should this process end before it records the
 * merge.
 */
export async function enqueueSettling(jobs: Jobs, tx: Tx, intent: MergeIntent, delay = SETTLE_DELAY_MS): Promise<void> {
  const { pullId, repoId, oid } = intent
  const payload = { pull_id: pullId, repo_id: repoId, oid }
  await jobs.enqueue(tx, 'merges.settle', payload, { key: jobKey(intent), delay })
}

/** Deletes the intent and the job that would settle it. */
export async function forgetIntent(jobs: Jobs, tx: Tx, intent: MergeIntent): Promise<void> {
  await deleteIntent(tx, intent)
  await jobs.cancel(tx, 'merges.settle', jobKey(intent))
}
