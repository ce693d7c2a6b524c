import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

/** A sweep checks all large files: one run covers many deletions. */
const SWEEP_DELAY_MS = 60_000

/** Deletes the large files that lost their last repository. */
export function lfsSubscriptions(jobs: Jobs): Subscriptions {
  return { 'repo.deleted': (tx) => jobs.enqueue(tx, 'lfs.sweep', {}, { delay: SWEEP_DELAY_MS, key: 'all' }) }
}
