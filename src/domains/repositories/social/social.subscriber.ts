import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { Social } from './social.service.ts'

interface SocialSubscriberDeps {
  readonly jobs: Jobs
  readonly social: Pick<Social, 'watchPushed'>
}

export function socialSubscriptions({ jobs, social }: SocialSubscriberDeps): Subscriptions {
  return {
    'repo.pushed': [
      // A job reads the commits of a push from git and writes them into its feed entries.
      (tx, { id, repoId, payload: { updates } }) =>
        jobs.enqueue(
          tx,
          'activity.describe',
          { repo_id: repoId, event_id: id, updates: [...updates] },
          { key: String(id) },
        ),
      // Users watch repositories that they push to, if the server is configured so
      // (behaviour/repositories#watching-and-starring).
      async (tx, { actorId, repoId, payload }) => {
        if (actorId > 0 && payload.is_mirror_sync !== true) await social.watchPushed(tx, asId(actorId), asId(repoId))
      },
    ],
  }
}
