import type { Subscription, Subscriptions } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { PushMirrors } from './push/push-mirrors.service.ts'

/** Pushes each change of a repository or its wiki to the push mirrors with `sync_on_commit`. */
export function mirrorSubscriptions(mirrors: PushMirrors): Subscriptions {
  const push: Subscription = (tx, { repoId }) => mirrors.enqueuePushes(tx, asId(repoId))
  return {
    'repo.pushed': push,
    'wiki.created': push,
    'wiki.deleted': push,
    'wiki.edited': push,
    'wiki.pushed': push,
  }
}
