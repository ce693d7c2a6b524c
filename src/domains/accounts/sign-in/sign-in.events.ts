import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const OfUser = { user_id: Id }
const Token = { ...OfUser, token_id: Id, name: Type.String(), scopes: Type.String() }
const Passkey = { ...OfUser, passkey_id: Id, name: Type.String() }

export const signInEvents = {
  /** Attempts from one address within one minute; `user_id` is 0 when they name no account. */
  'user.sign_in_failed': Type.Object({ ...OfUser, attempts: Id }),
  /** `second_factor` of sign-ins on the pages: one-time-code, recovery-code or passkey. */
  'user.signed_in': Type.Object({ ...OfUser, second_factor: Type.Optional(Type.String()) }),
  /** The actor is the administrator, `user_id` the impersonated account. */
  'user.sudo_used': Type.Object({ ...OfUser, operation: Type.String() }),
  'user.token_created': Type.Object(Token),
  'user.token_deleted': Type.Object(Token),
  'user.passkey_added': Type.Object(Passkey),
  'user.passkey_deleted': Type.Object(Passkey),
  'user.two_factor_disabled': Type.Object(OfUser),
  'user.two_factor_enabled': Type.Object(OfUser),
  'user.recovery_codes_renewed': Type.Object(OfUser),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof signInEvents> {}
}
