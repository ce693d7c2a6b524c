import type { PushMirrors } from '../domain/mirrors/index.ts'
import type { Social } from '../domain/social/index.ts'
import type { Subscriptions } from '../events/index.ts'
import type { Clock } from '../platform/clock.ts'
import { activitySubscriptions } from '../subscribers/activities.ts'
import { languageSubscriptions } from '../subscribers/languages.ts'
import { avatarSubscriptions } from '../subscribers/avatars.ts'
import { maintenanceSubscriptions } from '../subscribers/maintenance.ts'
import { mirrorSubscriptions } from '../subscribers/mirrors.ts'
import { releaseSubscriptions } from '../subscribers/releases.ts'
import { watchingSubscriptions } from '../subscribers/watching.ts'

/** Who reacts to which events, in the order in which they are told; each lives in subscribers/. */
export function createSubscriptions({ clock, pushMirrors, social }: { readonly clock: Clock; readonly pushMirrors: PushMirrors; readonly social: Social }): Subscriptions[] {
  return [activitySubscriptions(clock), avatarSubscriptions(clock), languageSubscriptions(clock), maintenanceSubscriptions(clock), mirrorSubscriptions(pushMirrors), releaseSubscriptions(clock), watchingSubscriptions(social)]
}
