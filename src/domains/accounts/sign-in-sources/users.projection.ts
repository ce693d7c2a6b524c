import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deleteIdentitiesByLoginName, deleteIdentity } from './identity.store.ts'

/**
 * An administrator who sets the login name of an account says which entry of the directory, or which subject of the
 * provider, it belongs to: the next sign-in or synchronization finds it by that name. An account that leaves its source
 * is no longer that person's. Changes by the directory itself have no acting account. NOTE: users of other accounts
 * linked providers themselves; these links stay.
 */
export const identityProjections: Projections = {
  async 'user.edited'(tx, { principal, payload: { user_id: userId, changed, left_source_id: left } }) {
    if (left !== undefined) await deleteIdentity(tx, asId(left), asId(userId))
    if (principal.account.id !== 0 && changed.includes('login_name'))
      await deleteIdentitiesByLoginName(tx, asId(userId))
  },
}
