import type { Subscriptions } from '../events/index.ts'
import type { Clock } from '../platform/clock.ts'
import { avatarSubscriptions } from '../subjects/avatars/avatars.subscriber.ts'
import { languageSubscriptions } from '../subjects/languages/languages.subscriber.ts'
import { mirrorSubscriptions } from '../subjects/mirrors/mirrors.subscriber.ts'
import type { PushMirrors } from '../subjects/mirrors/push-mirrors.service.ts'
import { releaseSubscriptions } from '../subjects/releases/releases.subscriber.ts'
import { activitySubscriptions } from '../subjects/social/activities.subscriber.ts'
import type { Social } from '../subjects/social/social.service.ts'
import { watchingSubscriptions } from '../subjects/social/watching.subscriber.ts'
import { maintenanceSubscriptions } from '../subjects/upkeep/maintenance.subscriber.ts'

/** Who reacts to which events, in the order in which they are told; each lives in subscribers/. */
export function createSubscriptions({
  clock,
  pushMirrors,
  social,
}: {
  readonly clock: Clock
  readonly pushMirrors: PushMirrors
  readonly social: Social
}): Subscriptions[] {
  return [
    activitySubscriptions(clock),
    avatarSubscriptions(clock),
    languageSubscriptions(clock),
    maintenanceSubscriptions(clock),
    mirrorSubscriptions(pushMirrors),
    releaseSubscriptions(clock),
    watchingSubscriptions(social),
  ]
}
