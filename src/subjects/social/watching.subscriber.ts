import type { Subscriptions } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import type { Social } from './social.service.ts'

/** Users watch what they push to, where the server is set so (reference repositories §13). */
export function watchingSubscriptions(social: Social): Subscriptions {
  return {
    'repo.pushed': [
      async (tx, { actorId, repoId, payload }) => {
        if (actorId > 0 && payload.is_mirror_sync !== true) await social.watchPushed(tx, asId(actorId), asId(repoId))
      },
    ],
  }
}
