import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

const DELAY_MS = 1_000

/** Enqueues a count when the code may have changed. The delay merges a series of pushes into one run. */
export function languageSubscriptions(jobs: Jobs): Subscriptions {
  return {
    'repo.created': (tx, { repoId }) =>
      jobs.enqueue(tx, 'repo.languages', { repo_id: repoId }, { delay: DELAY_MS, key: String(repoId) }),
    'repo.pushed': (tx, { repoId }) =>
      jobs.enqueue(tx, 'repo.languages', { repo_id: repoId }, { delay: DELAY_MS, key: String(repoId) }),
    async 'repo.edited'(tx, { repoId, payload }) {
      if (payload.changed.includes('default_branch'))
        await jobs.enqueue(tx, 'repo.languages', { repo_id: repoId }, { key: String(repoId) })
    },
  }
}
