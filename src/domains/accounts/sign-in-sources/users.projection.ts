import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deleteIdentitiesOfKind } from './identity.store.ts'

/**
 * An administrator who sets the login name of an account says which entry of the directory it belongs to: the next
 * sign-in or synchronization finds it by that name. Changes by the directory itself have no acting account.
 */
export const identityProjections: Projections = {
  async 'user.edited'(tx, { principal, payload: { user_id: userId, changed } }) {
    if (principal.account.id !== 0 && changed.includes('login_name'))
      await deleteIdentitiesOfKind(tx, asId(userId), 'ldap')
  },
}
