import type { Tx } from '../../../../core/db/database.ts'
import { forbidden } from '../../../../core/platform/errors.ts'
import { lockActiveAdmins, type User } from '../user.store.ts'

/**
 * Throws Forbidden when the user is the last administrator, who cannot be deleted, demoted or prohibited from signing
 * in (behaviour/base-interface#errors). The rows of all administrators are locked until the transaction ends, so that
 * two cannot lose their rights at the same time. `act` is what the message calls the change.
 */
export async function requireOtherAdmin(tx: Tx, user: User, act: string): Promise<void> {
  const admins = await lockActiveAdmins(tx)
  const isLast = admins.length === 0 ? user.isAdmin : admins.every((id) => id === user.id)
  if (isLast) throw forbidden(`can not ${act} the last admin user [uid: ${user.id}]`)
}
