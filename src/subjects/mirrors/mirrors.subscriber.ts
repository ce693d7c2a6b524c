import type { Subscription, Subscriptions } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import type { PushMirrors } from './push-mirrors.service.ts'

/** Push mirrors that get every change get it right after the push, those of the wiki too. */
export function mirrorSubscriptions(mirrors: PushMirrors): Subscriptions {
  const push: Subscription = (tx, { repoId }) => mirrors.pushAfterCommit(tx, asId(repoId))
  return {
    'repo.pushed': push,
    'wiki.created': push,
    'wiki.deleted': push,
    'wiki.edited': push,
    'wiki.pushed': push,
  }
}
