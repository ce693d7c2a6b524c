import { lockRepo } from '../../../repositories/index.ts'
import { conflict } from '../../../../core/platform/errors.ts'
import { enqueueAdvance } from '../enqueue-advance.ts'
import { lockBatch, updateBatch } from '../records/batch.store.ts'
import { listEntriesOfBatch } from '../records/entry.store.ts'
import type { CheckedEntry } from './check-entry.ts'
import { removeEntry } from './remove-entry.ts'
import { buildAnew } from './test-batch.ts'
import type { BatchPlace, Step, WorkerDeps } from './worker-deps.ts'

/** How long a merge of another process is waited for before it is looked at again. */
const PAUSE_MS = 10_000

/** Moves the base to the commit of the batch; its pull requests are merged with that. */
export async function mergeBatch(deps: WorkerDeps, place: BatchPlace, checked: readonly CheckedEntry[]): Promise<Step> {
  const { batchMerges } = deps
  const { repo, git, branch, batch } = place
  const merges = checked.map((merge) => ({ ...merge, oid: merge.entry.oid }))
  if (merges.at(-1)?.oid !== batch.oid) {
    await buildAnew(deps, place)
    return 'again'
  }
  const outcome = await batchMerges.move({
    repo,
    git,
    branch,
    baseOid: batch.baseOid,
    merges,
    async claim(tx) {
      await lockRepo(tx, place.repoId)
      const locked = await lockBatch(tx, batch.id)
      if (locked?.state !== 'testing' || locked.oid !== batch.oid) throw conflict('the batch changed meanwhile')
      await updateBatch(tx, batch.id, { state: 'merging' })
    },
  })
  switch (outcome.kind) {
    case 'moved':
      return 'again'
    case 'stale':
      await buildAnew(deps, place)
      return 'again'
    case 'changed':
      return lookLater(deps, place)
    case 'refused':
      await returnToTest(deps, place)
      await removeEntry(deps, place, checked[0]!.entry, outcome.reason)
      return 'again'
  }
}

/**
 * A batch that is being merged although this process does not: it was killed meanwhile, or another one is at work. What
 * was merged has left the queue.
 */
export async function resumeMerge(deps: WorkerDeps, place: BatchPlace): Promise<Step> {
  const { database, batchMerges } = deps
  const entries = await listEntriesOfBatch(database.read, place, place.batch.id)
  const pullIds = entries.map(({ pullId }) => pullId)
  if (!(await batchMerges.settle(place.repo, pullIds))) return lookLater(deps, place)
  await returnToTest(deps, place)
  return 'again'
}

/** Nothing happens when the batch is gone or another by now. */
async function returnToTest({ database }: WorkerDeps, place: BatchPlace): Promise<void> {
  await database.transaction(async (tx) => {
    await lockRepo(tx, place.repoId)
    const batch = await lockBatch(tx, place.batch.id)
    if (batch?.state === 'merging') await updateBatch(tx, batch.id, { state: 'testing' })
  })
}

async function lookLater({ database, jobs }: WorkerDeps, place: BatchPlace): Promise<Step> {
  await database.transaction((tx) => enqueueAdvance(jobs, tx, place, { delay: PAUSE_MS, what: 'later' }))
  return 'wait'
}
