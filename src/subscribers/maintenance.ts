import type { Subscriber, Subscriptions } from '../events/index.ts'
import { enqueue } from '../jobs/index.ts'
import type { Clock } from '../platform/clock.ts'

const QUIET_MS = 10_000

/** Packs a repository with its wiki a little after one was pushed to; a burst of pushes costs one run. */
export function maintenanceSubscriptions(clock: Clock): Subscriptions {
  const maintain: Subscriber = (tx, { repoId }) => enqueue(tx, 'repo.maintain', { repo_id: repoId }, { now: clock.now(), delay: QUIET_MS, key: String(repoId) })
  return { 'repo.pushed': [maintain], 'wiki.pushed': [maintain], 'wiki.created': [maintain], 'wiki.edited': [maintain] }
}
