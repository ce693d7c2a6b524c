import type { Tx } from '../../../core/db/database.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

/** Enqueues an update of the index when the code may have changed. */
export function codeIndexSubscriptions(jobs: Jobs): Subscriptions {
  const later = (tx: Tx, { repoId }: { readonly repoId: number }): Promise<void> =>
    jobs.enqueue(tx, 'repo.index_code', { repo_id: repoId }, { key: String(repoId) })
  return {
    'repo.created': later,
    'fork.created': later,
    'repo.pushed': later,
    'repo.deleted': later,
    async 'repo.edited'(tx, event) {
      if (event.payload.changed.includes('default_branch')) await later(tx, event)
    },
  }
}
