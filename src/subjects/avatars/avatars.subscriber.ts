import type { Subscriptions } from '../../events/index.ts'
import { enqueue } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'

/** Images go with whom they showed. */
export function avatarSubscriptions(clock: Clock): Subscriptions {
  const sweep = (tx: Parameters<typeof enqueue>[0]): Promise<void> =>
    enqueue(tx, 'avatars.sweep', {}, { now: clock.now(), key: 'all' })
  return { 'user.deleted': [sweep], 'org.deleted': [sweep], 'repo.deleted': [sweep] }
}
