import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { forbidden, invalid, oversize } from '../../../core/platform/errors.ts'
import { userQueries } from '../../accounts/index.ts'

export const MAX_MAPPED_USERS = 10_000

/** Accounts of this server by the names in lower case of accounts of the service. */
export type MappedUsers = ReadonlyMap<string, UserId>

/**
 * Finds the accounts that an administrator names as the authors of imported objects. Throws Forbidden for others, who
 * could put words into the mouths of accounts, and Invalid for a name without an account.
 */
export async function findMappedUsers(
  db: Db,
  actor: SignedIn,
  users: Readonly<Record<string, string>> = {},
): Promise<MappedUsers> {
  const names = Object.entries(users)
  if (names.length === 0) return new Map()
  if (!isSiteAdmin(actor)) throw forbidden('only site administrators may map users of an import')
  if (names.length > MAX_MAPPED_USERS) throw oversize('users', MAX_MAPPED_USERS, 'items')
  const found = new Map<string, UserId>()
  for (const [theirs, ours] of names) {
    const user = await userQueries.findByName(db, ours)
    if (user?.kind !== 'individual') throw invalid(`users: user does not exist [name: ${ours}]`)
    found.set(theirs.toLowerCase(), user.id)
  }
  return found
}
