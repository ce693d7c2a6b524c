import type { Db } from '../../../core/db/database.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { cachedUntilCommit } from '../../../core/db/read-cache.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { type User, userRows } from '../../accounts/index.ts'

/** A no-reply address: `{name}@{domain}` or `{id}+{name}@{domain}` (behaviour/git-data-and-transport#common-rules). */
interface NoReply {
  readonly email: string
  readonly name: string
  readonly id: UserId | undefined
}

/**
 * The accounts that own email addresses of commits, by lower-case address: by activated addresses and by no-reply
 * addresses. At most two queries for any number of addresses.
 */
export function findUsersByEmails(
  db: Db,
  emails: Iterable<string>,
  noReplyDomain: string,
): Promise<ReadonlyMap<string, User>> {
  const wanted = [...new Set([...emails].map((email) => email.toLowerCase()))].filter((email) => email.includes('@'))
  const key = `commit authors ${JSON.stringify([noReplyDomain, ...wanted])}`
  return cachedUntilCommit(db, key, () => readUsersByEmails(db, wanted, noReplyDomain))
}

async function readUsersByEmails(
  db: Db,
  wanted: readonly string[],
  noReplyDomain: string,
): Promise<ReadonlyMap<string, User>> {
  const users = new Map<string, User>()
  const noReplies = wanted.flatMap((email) => parseNoReply(email, noReplyDomain.toLowerCase()) ?? [])
  const plain = wanted.filter((email) => !noReplies.some((address) => address.email === email))
  if (plain.length > 0) {
    const rows = await usersWith(db, { emails: plain })
    for (const row of rows) users.set(row.lower_email, userRows.toUser(row))
  }
  if (noReplies.length > 0) {
    const rows = await db
      .selectFrom('user')
      .selectAll()
      .where(
        'lower_name',
        'in',
        noReplies.map(({ name }) => name),
      )
      .execute()
    const byName = new Map(rows.map((row) => [row.lower_name, userRows.toUser(row)]))
    for (const { email, name, id } of noReplies) {
      const user = byName.get(name)
      if (user !== undefined && (id === undefined || id === user.id)) users.set(email, user)
    }
  }
  return users
}

const usersWith = defineQuery((db, { emails }: { emails: readonly string[] }) =>
  db
    .selectFrom('email_address')
    .innerJoin('user', 'user.id', 'email_address.user_id')
    .selectAll('user')
    .select('email_address.lower_email')
    .where('lower_email', 'in', emails)
    .where('is_activated', '=', 1),
)

function parseNoReply(email: string, domain: string): NoReply | undefined {
  if (domain === '' || !email.endsWith(`@${domain}`)) return undefined
  const match = /^(?:(\d{1,15})\+)?([^+]+)$/.exec(email.slice(0, -domain.length - 1))
  return match ? { email, name: match[2]!, id: match[1] === undefined ? undefined : asId(Number(match[1])) } : undefined
}
