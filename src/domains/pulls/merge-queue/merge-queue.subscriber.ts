import type { Tx } from '../../../core/db/database.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { enqueueAdvance } from './enqueue-advance.ts'
import { listBatchesOf } from './records/batch.store.ts'
import { listQueuedBranches } from './records/entry.store.ts'

const BRANCH = 'refs/heads/'

/** Advances queues after an event that their batch may wait for or that changes its base. */
export function mergeQueueSubscriptions(jobs: Jobs): Subscriptions {
  const ofRepo = async (tx: Tx, id: number, affectsQueue = (_branch: string): boolean => true): Promise<void> => {
    const repoId = asId<Parameters<typeof listQueuedBranches>[1]>(id)
    for (const branch of await listQueuedBranches(tx, repoId))
      if (affectsQueue(branch)) await enqueueAdvance(jobs, tx, { repoId, branch })
  }
  const always = (tx: Tx, { payload }: { readonly payload: { readonly repo_id: number } }): Promise<void> =>
    ofRepo(tx, payload.repo_id)
  return {
    async 'commit.status'(tx, { payload }) {
      const batches = await listBatchesOf(tx, { repoId: asId(payload.repo_id), oid: payload.oid })
      for (const batch of batches) await enqueueAdvance(jobs, tx, batch)
    },
    async 'repo.pushed'(tx, { payload }) {
      const pushed = new Set(payload.updates.map(({ ref }) => ref))
      await ofRepo(tx, payload.repo_id, (branch) => pushed.has(`${BRANCH}${branch}`))
    },
    'branch_protection.created': always,
    'branch_protection.deleted': always,
    'branch_protection.edited': always,
    'branch_protection.reordered': always,
    'issue.reopened': always,
    'repo.edited': always,
    'review.dismissed': always,
    'review.request_deleted': always,
    'review.requested': always,
    'review.submitted': always,
  }
}
