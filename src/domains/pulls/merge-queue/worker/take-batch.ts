import { lockRepo } from '../../../repositories/index.ts'
import { nextBatchSize } from '../bisect.policy.ts'
import { findBatch, insertBatch } from '../records/batch.store.ts'
import { listEntries, updateEntries } from '../records/entry.store.ts'
import type { Place, Step, WorkerDeps } from './worker-deps.ts'

/** Makes a batch of the first pull requests of the queue; building it checks them. */
export async function takeBatch(deps: WorkerDeps, place: Place): Promise<Step> {
  const { database, clock, batchSize } = deps
  const entries = await listEntries(database.read, place)
  const taken = entries.slice(0, nextBatchSize(entries, batchSize))
  if (taken.length === 0) return 'wait'
  await database.transaction(async (tx) => {
    await lockRepo(tx, place.repoId)
    if ((await findBatch(tx, place)) !== undefined) return
    const now = await listEntries(tx, place)
    if (taken.some(({ pullId, headOid }, index) => now[index]?.pullId !== pullId || now[index].headOid !== headOid))
      return
    const batch = await insertBatch(tx, place, clock.now())
    await updateEntries(
      tx,
      taken.map(({ pullId }) => pullId),
      { batchId: batch.id, oid: '' },
    )
  })
  return 'again'
}
