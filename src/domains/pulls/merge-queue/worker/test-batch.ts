import { branchRef } from '../../../../core/git/index.ts'
import { lockRepo } from '../../../repositories/index.ts'
import { enqueueAdvance } from '../enqueue-advance.ts'
import { deleteBatch, lockBatch, updateBatch } from '../records/batch.store.ts'
import { listEntriesOfBatch } from '../records/entry.store.ts'
import { announceLate } from './announce-batch.ts'
import { type CheckedEntry, checkEntries } from './check-entry.ts'
import { failBatch } from './fail-batch.ts'
import { requiredStatuses } from './required-statuses.ts'
import type { BatchPlace, Step, WorkerDeps } from './worker-deps.ts'

/**
 * The merges of a batch that was built and may be merged now. A failing one is halved; one whose base has moved is
 * built anew.
 */
export async function testBatch(deps: WorkerDeps, place: BatchPlace): Promise<Step | readonly CheckedEntry[]> {
  const { database, clock, jobs, timeoutMs } = deps
  const { git, batch } = place
  const entries = await listEntriesOfBatch(database.read, place, batch.id)
  const checked = await checkEntries(deps, place, entries)
  if (checked === undefined) return 'again'
  if (entries.length === 0 || (await git.refs.snapshot()).get(branchRef(place.branch))?.oid !== batch.baseOid) {
    await buildAnew(deps, place)
    return 'again'
  }
  const { state, failed } = await requiredStatuses(deps, place, batch.oid)
  if (state === 'success') return checked
  if (state === 'pending' && !batch.isAnnounced) {
    await announceLate(deps, place, checked)
    return 'again'
  }
  const left = batch.builtAt + timeoutMs - clock.now()
  if (state === 'pending' && left > 0) {
    const later = { delay: left, what: `timeout ${batch.id} ${batch.builtAt}` }
    await database.transaction((tx) => enqueueAdvance(jobs, tx, place, later))
    return 'wait'
  }
  const seconds = Math.round(timeoutMs / 1000)
  const reason = state === 'failure' ? `required statuses failed: ${failed}` : `no required statuses after ${seconds} s`
  await failBatch(deps, place, { entries, reason })
  return 'again'
}

/** Nothing happens when the batch is another by now. An empty one is deleted. */
export async function buildAnew({ database }: WorkerDeps, place: BatchPlace): Promise<void> {
  await database.transaction(async (tx) => {
    await lockRepo(tx, place.repoId)
    const batch = await lockBatch(tx, place.batch.id)
    if (batch === undefined || batch.state === 'building') return
    if ((await listEntriesOfBatch(tx, place, batch.id)).length === 0) await deleteBatch(tx, batch.id)
    else await updateBatch(tx, batch.id, { state: 'building', baseOid: '', oid: '', builtAt: 0 })
  })
}
