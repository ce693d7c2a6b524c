import type { Subscriptions } from '../../events/index.ts'
import { enqueue } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'

/** Feeds name the commits of a push; reading them from git takes a job. */
export function activitySubscriptions(clock: Clock): Subscriptions {
  return {
    'repo.pushed': [
      (tx, { id, repoId, payload: { updates } }) =>
        enqueue(
          tx,
          'activity.describe',
          { repo_id: repoId, event_id: id, updates: [...updates] },
          { now: clock.now(), key: String(id) },
        ),
    ],
  }
}
