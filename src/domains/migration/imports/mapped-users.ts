import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { forbidden, invalid, oversize } from '../../../core/platform/errors.ts'
import { userQueries } from '../../accounts/index.ts'
import type { NewImport } from './new-import.ts'

const MAX_MAPPED_USERS = 100_000
const MAX_EMAILS = 200_000
/** Characters. */
export const MAX_USER_LIST = 15 * 1024 * 1024

/** Accounts of this server by the names and e-mail addresses in lower case of accounts of the service. */
export interface MappedUsers {
  readonly byName: ReadonlyMap<string, UserId>
  readonly byEmail: ReadonlyMap<string, UserId>
}

const NOBODY: ReadonlyMap<string, UserId> = new Map()

/**
 * Finds the accounts that an administrator names as the authors of imported objects. Throws Forbidden for others, who
 * could put words into the mouths of accounts, and Invalid for a name without an account.
 */
export async function findMappedUsers(
  db: Db,
  actor: SignedIn,
  {
    users = {},
    usersByEmail = false,
    keepsAssignees = false,
  }: Pick<NewImport, 'keepsAssignees' | 'users' | 'usersByEmail'>,
): Promise<MappedUsers> {
  const names = Object.entries(users)
  if (names.length === 0 && !usersByEmail && !keepsAssignees) return { byName: NOBODY, byEmail: NOBODY }
  if (!isSiteAdmin(actor)) throw forbidden('only site administrators may map users of an import')
  if (names.length > MAX_MAPPED_USERS) throw oversize('users', MAX_MAPPED_USERS, 'items')
  const ids = await userQueries.listIdsByName(
    db,
    names.map(([, ours]) => ours),
  )
  const byName = new Map(
    names.map(([theirs, ours]) => {
      const id = ids.get(ours.toLowerCase())
      if (id === undefined) throw invalid(`users: user does not exist [name: ${ours}]`)
      return [theirs.toLowerCase(), id]
    }),
  )
  return { byName, byEmail: usersByEmail ? await userQueries.listConfirmedEmails(db, MAX_EMAILS + 1) : NOBODY }
}

/** The sentence about the accounts that are not mapped because this server has too many. */
export const warningOf = ({ byEmail }: MappedUsers): string | undefined =>
  byEmail.size > MAX_EMAILS
    ? `only the ${MAX_EMAILS} confirmed e-mail addresses that were added first were mapped`
    : undefined

/** The value of `user_list` as one of `users`. Throws Invalid. */
export function parseUserList(list: string): Record<string, string> {
  const lines = list.split('\n').filter((line) => line !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const names = line.split(' ')
      if (names.length !== 2 || names.includes('')) throw invalid('user_list: a line does not have two names')
      return names
    }),
  )
}
