import { systemActor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { lockRepo } from '../../../repositories/index.ts'
import { batchRef } from '../queue-refs.ts'
import { type Batch, lockBatch, updateBatch } from '../records/batch.store.ts'
import type { CheckedEntry } from './check-entry.ts'
import type { BatchPlace, WorkerDeps } from './worker-deps.ts'

/** Writes the event of the built commit. The caller has locked the batch, which has one. */
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
 * Of a batch that was built when no statuses were required, and waits for some now: their time begins. Nothing happens
 * when the batch is another by now.
 */
export async function announceLate(
  deps: WorkerDeps,
  { repoId, batch: { id, oid } }: BatchPlace,
  merges: readonly CheckedEntry[],
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await lockRepo(tx, repoId)
    const batch = await lockBatch(tx, id)
    if (batch?.state !== 'testing' || batch.oid !== oid || batch.isAnnounced) return
    const builtAt = deps.clock.now()
    await updateBatch(tx, id, { builtAt })
    await announceBuilt(deps, tx, { ...batch, builtAt }, merges)
  })
}
