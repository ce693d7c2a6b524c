import type { AppendedEvent, EventKind, Projections } from '../../../core/events/index.ts'
import { accountTarget, type AuditFact, recorded } from './record.ts'

type Payload = { readonly user_id: number }
type OfUser = { [Kind in EventKind]: AppendedEvent<Kind>['payload'] extends Payload ? Kind : never }[EventKind]

/** An action on the account of the payload. */
const onUser = <Kind extends OfUser>(
  action: string,
  detailsOf: (payload: AppendedEvent<Kind>['payload']) => AuditFact['details'] = () => ({}),
) =>
  recorded<Kind>(async (tx, { payload }) => ({
    action,
    target: await accountTarget(tx, (payload as Payload).user_id),
    details: detailsOf(payload) ?? {},
  }))

/** Accounts, how they sign in, and what they sign in with. */
export const accountProjections: Projections = {
  'user.created': onUser<'user.created'>('user.created'),
  'user.renamed': onUser<'user.renamed'>('user.renamed', ({ old_name }) => ({ old_name })),
  'user.deleted': recorded(async (tx, { payload: { user_id: id, name } }) => ({
    action: 'user.deleted',
    target: await accountTarget(tx, id, name),
  })),
  'user.edited': recorded(async (tx, { performer, payload: { user_id: id, changed } }) =>
    performer.account.id === id
      ? []
      : { action: 'admin.user-edited', target: await accountTarget(tx, id), details: { changed } },
  ),
  'user.credentials_changed': onUser<'user.credentials_changed'>('password.changed'),
  'user.email_added': onUser<'user.email_added'>('email.added', ({ email }) => ({ email })),
  'user.email_deleted': onUser<'user.email_deleted'>('email.deleted', ({ email }) => ({ email })),
  'user.key_added': onUser<'user.key_added'>('key.added', ({ key_id, fingerprint }) => ({ key_id, fingerprint })),
  'user.key_deleted': onUser<'user.key_deleted'>('key.deleted', ({ key_id, fingerprint }) => ({ key_id, fingerprint })),
  'user.gpg_key_added': onUser<'user.gpg_key_added'>('gpg-key.added', ({ key_id }) => ({ key_id })),
  'user.gpg_key_deleted': onUser<'user.gpg_key_deleted'>('gpg-key.deleted', ({ key_id }) => ({ key_id })),
  'user.token_created': onUser<'user.token_created'>('token.created', ({ token_id, name, scopes }) => ({
    token_id,
    name,
    scopes,
  })),
  'user.token_deleted': onUser<'user.token_deleted'>('token.deleted', ({ token_id, name }) => ({ token_id, name })),
  'user.two_factor_enabled': onUser<'user.two_factor_enabled'>('two-factor.enabled'),
  'user.two_factor_disabled': onUser<'user.two_factor_disabled'>('two-factor.disabled'),
  'user.recovery_codes_renewed': onUser<'user.recovery_codes_renewed'>('two-factor.recovery-codes-renewed'),
  'user.signed_in': onUser<'user.signed_in'>('sign-in.succeeded'),
  'user.sign_in_failed': recorded(async (tx, { payload: { user_id: id, attempts } }) => ({
    action: 'sign-in.failed',
    outcome: 'failed',
    target: await accountTarget(tx, id),
    details: { attempts },
  })),
  'user.sudo_used': onUser<'user.sudo_used'>('sudo.used', ({ operation }) => ({ operation })),
}
