import type { PushMirrors } from '../domain/mirrors/index.ts'
import type { Subscriptions } from '../events/index.ts'
import { asId } from '../platform/ids.ts'

/** Push mirrors that want every change get it right after the push. */
export function mirrorSubscriptions(mirrors: PushMirrors): Subscriptions {
  return { 'repo.pushed': [(tx, { repoId }) => mirrors.pushAfterCommit(tx, asId(repoId))] }
}
