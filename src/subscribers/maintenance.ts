import type { Subscriptions } from '../events/index.ts'
import { enqueue } from '../jobs/index.ts'
import type { Clock } from '../platform/clock.ts'

const QUIET_MS = 10_000

/** Packs a repository a little after it was pushed to; a burst of pushes costs one run. */
export function maintenanceSubscriptions(clock: Clock): Subscriptions {
  return {
    'repo.pushed': [
      (tx, { repoId }) => enqueue(tx, 'repo.maintain', { repo_id: repoId }, { now: clock.now(), delay: QUIET_MS, key: String(repoId) }),
    ],
  }
}
