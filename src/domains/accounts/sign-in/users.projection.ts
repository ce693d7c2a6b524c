import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deleteSessionsOf } from './web/web-session.store.ts'

/** A new password ends the browser sessions of the old one. */
export const sessionProjections: Projections = {
  'user.credentials_changed': (tx, { payload: { user_id } }) => deleteSessionsOf(tx, asId(user_id)),
}
