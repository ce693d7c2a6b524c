import type { Subscription, Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

const QUIET_MS = 10_000
/** Sizes are measured sooner: that costs little. */
const MEASURE_MS = 1_000

/** Measures and packs a repository with its wiki a little after a push; many pushes at once cost one run. */
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
