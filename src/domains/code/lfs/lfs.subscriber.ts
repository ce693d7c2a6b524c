import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

/** One sweep looks through all large files: one for many deletions. */
const SWEEP_DELAY_MS = 60_000

/** Deletes the large files that were left without a repository. */
export function lfsSubscriptions(jobs: Jobs): Subscriptions {
  return { 'repo.deleted': (tx) => jobs.enqueue(tx, 'lfs.sweep', {}, { delay: SWEEP_DELAY_MS, key: 'all' }) }
}
