import { findRepoById } from '../../../repositories/index.ts'
import { deleteStaleRefs } from '../queue-refs.ts'
import { findBatch, type QueuedBranch } from '../records/batch.store.ts'
import { buildBatch } from './build-batch.ts'
import { mergeBatch, resumeMerge } from './merge-batch.ts'
import { takeBatch } from './take-batch.ts'
import { testBatch } from './test-batch.ts'
import type { Step, WorkerDeps } from './worker-deps.ts'

export type { WorkerDeps } from './worker-deps.ts'

/**
 * Takes the batch at the head of a queue as far as it goes now. Every step is one change of rows, after which the next
 * continues, in this process or in another (behaviour/pull-requests#merge-queue).
 */
export async function advanceQueue(deps: WorkerDeps, branch: QueuedBranch, signal: AbortSignal): Promise<void> {
  await deps.locks.run(`${branch.repoId} ${branch.branch}`, async () => {
    for (let step: Step = 'again'; step === 'again';) {
      signal.throwIfAborted()
      step = await advance(deps, branch)
    }
  })
}

async function advance(deps: WorkerDeps, { repoId, branch }: QueuedBranch): Promise<Step> {
  const { read } = deps.database
  const repo = await findRepoById(read, repoId)
  if (repo === undefined || repo.isArchived) return 'wait'
  const batch = await findBatch(read, { repoId, branch })
  const place = { repoId, branch, repo, git: deps.git.open(repo) }
  await deleteStaleRefs(place.git, branch, batch)
  if (batch === undefined) return takeBatch(deps, place)
  const { state } = batch
  if (state === 'building') return buildBatch(deps, { ...place, batch })
  if (state === 'merging') return resumeMerge(deps, { ...place, batch })
  const tested = await testBatch(deps, { ...place, batch })
  return typeof tested === 'string' ? tested : mergeBatch(deps, { ...place, batch }, tested)
}
