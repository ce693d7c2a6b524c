import type { Subscriptions } from '../../events/index.ts'
import { enqueue } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'

const QUIET_MS = 1_000

/** Counts languages a little after the code may have changed; a burst of pushes costs one run. */
export function languageSubscriptions(clock: Clock): Subscriptions {
  const count: NonNullable<Subscriptions['repo.created']>[number] = (tx, { repoId }) =>
    enqueue(tx, 'repo.languages', { repo_id: repoId }, { now: clock.now(), delay: QUIET_MS, key: String(repoId) })
  return {
    'repo.created': [count],
    'repo.pushed': [
      (tx, { repoId }) =>
        enqueue(tx, 'repo.languages', { repo_id: repoId }, { now: clock.now(), delay: QUIET_MS, key: String(repoId) }),
    ],
    'repo.edited': [
      async (tx, { repoId, payload }) => {
        if (payload.changed.includes('default_branch'))
          await enqueue(tx, 'repo.languages', { repo_id: repoId }, { now: clock.now(), key: String(repoId) })
      },
    ],
  }
}
