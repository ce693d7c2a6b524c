import type { Tx } from '../../db/database.ts'
import { forbidden } from '../../platform/errors.ts'
import { lockActiveAdmins, type User } from './user.store.ts'

/**
 * Somebody must be able to administer the server: its last administrator cannot be deleted, demoted or shut out (seed,
 * Errors 5). Administrators are held until the transaction ends, so that of two who go at once one stays.
 */
export async function requireOtherAdmin(tx: Tx, user: User): Promise<void> {
  const admins = await lockActiveAdmins(tx)
  const isLast = admins.length === 0 ? user.isAdmin : admins.every((id) => id === user.id)
  if (isLast) throw forbidden(`can not delete the last admin user [uid: ${user.id}]`)
}
