import type { Subscription, Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

const QUIET_MS = 10_000
/** A shorter delay than for packing, because measuring is cheap. */
const MEASURE_MS = 1_000

/** Measures and packs a repository with its wiki some time after a push; many pushes in a row cause one run. */
export function maintenanceSubscriptions(jobs: Jobs): Subscriptions {
  const maintain: Subscription = (tx, { repoId }) =>
    jobs.enqueue(tx, 'repo.maintain', { repo_id: repoId }, { delay: QUIET_MS, key: String(repoId) })
  const measure: Subscription = (tx, { repoId }) =>
    jobs.enqueue(tx, 'repo.measure', { repo_id: repoId }, { delay: MEASURE_MS, key: String(repoId) })
  const onPush = [measure, maintain]
  return {
    'repo.pushed': onPush,
    'wiki.pushed': onPush,
    'wiki.created': onPush,
    'wiki.edited': onPush,
  }
}
