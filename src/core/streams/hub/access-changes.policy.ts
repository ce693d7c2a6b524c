import type { DomainEvent, EventKind, FollowedEvent } from '../../events/index.ts'

/** Kinds of the families below that change neither accounts nor their access. */
const WITHOUT_EFFECT: ReadonlySet<EventKind> = new Set([
  'org.created',
  'repo.created',
  'repo.forked',
  'repo.key_added',
  'repo.key_deleted',
  'repo.pushed',
  'repo.starred',
  'repo.topics_changed',
  'repo.transfer_rejected',
  'repo.transfer_started',
  'repo.unstarred',
  'repo.unwatched',
  'repo.watched',
  'team.created',
  'user.created',
  'user.email_added',
  'user.email_deleted',
  'user.followed',
  'user.gpg_key_added',
  'user.gpg_key_deleted',
  'user.key_added',
  'user.recovery_codes_renewed',
  'user.sign_in_failed',
  'user.signed_in',
  'user.sudo_used',
  'user.token_created',
  'user.unfollowed',
])

const FAMILIES = /^(?:oauth|org|repo|team|user)\./

/** Whether an open stream may have to end, or to show other things, after the event; new kinds count. */
export const mayChangeAccess = ({ kind }: FollowedEvent): boolean => FAMILIES.test(kind) && !WITHOUT_EFFECT.has(kind)

/** Kinds that concern the credentials of one account. */
const OF_CREDENTIALS = [
  'user.credentials_changed',
  'user.key_deleted',
  'user.passkey_added',
  'user.passkey_deleted',
  'user.token_deleted',
  'user.two_factor_disabled',
  'user.two_factor_enabled',
] as const satisfies readonly EventKind[]

/** The account whose credentials changed; undefined when the event changes something else. */
export function accountOfCredentials({ kind, payload }: DomainEvent): number | undefined {
  const isOfCredentials = (OF_CREDENTIALS as readonly string[]).includes(kind)
  return isOfCredentials ? (payload as { readonly user_id: number }).user_id : undefined
}
