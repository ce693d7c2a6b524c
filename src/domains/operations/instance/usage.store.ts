import type { Db } from '../../../core/db/database.ts'
import { type User, userRows } from '../../accounts/index.ts'

/** The number of individuals who signed in or were active since the time, in epoch milliseconds. */
export async function countActiveUsers(db: Db, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('kind', '=', 'individual')
    .where((eb) =>
      eb.or([
        eb('last_login_at', '>=', since),
        eb.exists(
          eb
            .selectFrom('activity')
            .select('activity.id')
            .whereRef('activity.actor_id', '=', 'user.id')
            .where('activity.created_at', '>=', since),
        ),
      ]),
    )
    .executeTakeFirstOrThrow()
  return count
}

/** The number of activities of these kinds. */
export async function countActivitiesOfKind(db: Db, opTypes: readonly string[]): Promise<number> {
  const { count } = await db
    .selectFrom('activity')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('op_type', 'in', [...opTypes])
    .executeTakeFirstOrThrow()
  return count
}

/** The individual with this primary address, unless the address is hidden. */
export async function findUserByPublicEmail(db: Db, email: string): Promise<User | undefined> {
  const row = await db
    .selectFrom('email_address')
    .innerJoin('user', 'user.id', 'email_address.user_id')
    .selectAll('user')
    .where('email_address.lower_email', '=', email.toLowerCase())
    .where('email_address.is_primary', '=', 1)
    .where('email_address.is_activated', '=', 1)
    .where('user.is_email_hidden', '=', 0)
    .executeTakeFirst()
  return row && userRows.toUser(row)
}
