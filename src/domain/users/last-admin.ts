import type { Database, Tx } from '../../db/database.ts'
import { lockActiveAdmins, type User } from '../../db/stores/user.store.ts'
import { forbidden } from '../../platform/errors.ts'

/** Somebody must be able to administer the server: its last administrator cannot be deleted, demoted or shut out (seed, Errors 5). */
export async function requireOtherAdmin(tx: Tx, { dialect }: Pick<Database, 'dialect'>, user: User): Promise<void> {
  if (!user.isAdmin) return
  const admins = await lockActiveAdmins(tx, dialect)
  if (admins.every((id) => id === user.id)) throw forbidden(`can not delete the last admin user [uid: ${user.id}]`)
}
