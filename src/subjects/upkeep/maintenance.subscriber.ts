import type { Subscriber, Subscriptions } from '../../events/index.ts'
import { enqueue } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'

const QUIET_MS = 10_000
/** Sizes are looked at sooner, and cost little to find out. */
const MEASURE_MS = 1_000
/** Looking through all large files is worth doing once for many deletions. */
const SWEEP_DELAY_MS = 60_000

/**
 * Measures and packs a repository with its wiki a little after one was pushed to, clears large files away after one was
 * deleted; a burst costs one run.
 */
export function maintenanceSubscriptions(clock: Clock): Subscriptions {
  const maintain: Subscriber = (tx, { repoId }) =>
    enqueue(tx, 'repo.maintain', { repo_id: repoId }, { now: clock.now(), delay: QUIET_MS, key: String(repoId) })
  const measure: Subscriber = (tx, { repoId }) =>
    enqueue(tx, 'repo.measure', { repo_id: repoId }, { now: clock.now(), delay: MEASURE_MS, key: String(repoId) })
  const grown = [measure, maintain]
  const sweep: Subscriber = (tx) =>
    enqueue(tx, 'lfs.sweep', {}, { now: clock.now(), delay: SWEEP_DELAY_MS, key: 'all' })
  return {
    'repo.deleted': [sweep],
    'repo.pushed': grown,
    'wiki.pushed': grown,
    'wiki.created': grown,
    'wiki.edited': grown,
  }
}
