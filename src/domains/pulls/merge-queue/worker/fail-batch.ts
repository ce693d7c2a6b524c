import { lockRepo } from '../../../repositories/index.ts'
import { halfOf } from '../bisect.policy.ts'
import { dissolveBatch } from '../leave-queue.ts'
import { lockBatch } from '../records/batch.store.ts'
import { listEntries, type QueueEntry, updateEntries } from '../records/entry.store.ts'
import { removeEntry } from './remove-entry.ts'
import type { BatchPlace, WorkerDeps } from './worker-deps.ts'

interface Failure {
  readonly entries: readonly QueueEntry[]
  readonly reason: string
}

/**
 * A pull request that fails alone leaves the queue; of several the halves are tested one after the other. Those that
 * were suspected together with them before are not any more.
 */
export async function failBatch(deps: WorkerDeps, place: BatchPlace, { entries, reason }: Failure): Promise<void> {
  const [only] = entries
  if (entries.length === 1 && only !== undefined) return removeEntry(deps, place, only, reason)
  await deps.database.transaction(async (tx) => {
    await lockRepo(tx, place.repoId)
    const batch = await lockBatch(tx, place.batch.id)
    if (batch === undefined || batch.oid !== place.batch.oid) return
    const all = await listEntries(tx, place)
    const failed = all.filter(({ batchId }) => batchId === batch.id)
    if (!(await dissolveBatch(tx, place, batch.id))) return
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
