import type { Db, Tx } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { type User, toUser } from '../../users/user.store.ts'

/** The user of a session that has not expired. */
export async function findSessionUser(db: Db, tokenHash: string, now: number): Promise<User | undefined> {
  const row = await db
    .selectFrom('web_session')
    .innerJoin('user', 'user.id', 'web_session.user_id')
    .selectAll('user')
    .where('web_session.token_hash', '=', tokenHash)
    .where('web_session.expires_at', '>', now)
    .executeTakeFirst()
  return row && toUser(row)
}

export async function findSessionStart(db: Db, tokenHash: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('web_session')
    .select('created_at')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row?.created_at
}

/** Inserts a session, and deletes expired ones. */
export async function insertSession(
  tx: Tx,
  values: {
    readonly token_hash: string
    readonly user_id: UserId
    readonly created_at: number
    readonly expires_at: number
  },
): Promise<void> {
  await tx.deleteFrom('web_session').where('expires_at', '<=', values.created_at).execute()
  await tx.insertInto('web_session').values(values).execute()
}

export async function deleteSession(tx: Tx, tokenHash: string): Promise<void> {
  await tx.deleteFrom('web_session').where('token_hash', '=', tokenHash).execute()
}

export async function deleteSessionsOf(tx: Tx, userId: UserId): Promise<void> {
  await tx.deleteFrom('web_session').where('user_id', '=', userId).execute()
}
