import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { PasskeyTable } from '../sign-in.table.ts'

export interface Passkey {
  readonly id: number
  readonly userId: UserId
  readonly name: string
  readonly credentialId: string
  /** COSE key, in base64url. */
  readonly publicKey: string
  readonly transports: readonly string[]
  readonly userHandle: string
  readonly signCount: number
  readonly createdAt: number
  /** 0: never. */
  readonly lastUsedAt: number
}

export const hasPasskeys = (db: Db, userId: UserId): Promise<boolean> =>
  cachedUntilCommit(db, `passkeys ${userId}`, async () => {
    const row = await db.selectFrom('passkey').select('id').where('user_id', '=', userId).limit(1).executeTakeFirst()
    return row !== undefined
  })

export async function listPasskeys(db: Db, userId: UserId): Promise<Passkey[]> {
  const found = await db.selectFrom('passkey').selectAll().where('user_id', '=', userId).orderBy('id').execute()
  return found.map(toPasskey)
}

export async function findCredential(db: Db, credentialId: string): Promise<Passkey | undefined> {
  const row = await db.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
  return row && toPasskey(row)
}

/** Returns the id; undefined when the credential is already registered. */
export async function insertPasskey(tx: Tx, values: Insertable<PasskeyTable>): Promise<number | undefined> {
  const row = await tx
    .insertInto('passkey')
    .values(values)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Returns false when the counter does not advance; a counter that stays at 0 does not count. */
export async function recordUse(tx: Tx, id: number, { count, at }: { count: number; at: number }): Promise<boolean> {
  const result = await tx
    .updateTable('passkey')
    .set({ sign_count: count, last_used_at: at })
    .where('id', '=', id)
    .where((eb) => (count === 0 ? eb('sign_count', '=', 0) : eb('sign_count', '<', count)))
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Returns false if the user does not have this passkey. */
export async function updatePasskeyName(
  tx: Tx,
  userId: UserId,
  { id, name }: { readonly id: number; readonly name: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('passkey')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Returns the deleted passkeys of the user: one, or without `id` all. */
export function deletePasskeys(tx: Tx, userId: UserId, id?: number): Promise<{ id: number; name: string }[]> {
  return tx
    .deleteFrom('passkey')
    .where('user_id', '=', userId)
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .returning(['id', 'name'])
    .execute()
}

/** Returns false when the challenge was used before. */
export async function useChallenge(
  tx: Tx,
  values: { readonly challenge_hash: string; readonly expires_at: number },
): Promise<boolean> {
  const result = await tx
    .insertInto('used_passkey_challenge')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function deleteChallengesUntil(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('used_passkey_challenge').where('expires_at', '<=', time).execute()
}

const toPasskey = (row: Selectable<PasskeyTable>): Passkey => ({
  id: row.id,
  userId: asId(row.user_id),
  name: row.name,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  transports: row.transports.split(',').filter(Boolean),
  userHandle: row.user_handle,
  signCount: row.sign_count,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})
