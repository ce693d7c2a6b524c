import type { Db, Tx } from '../../../../core/db/database.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'

export interface TwoFactor {
  /** Encrypted. */
  readonly secret: string
  readonly isConfirmed: boolean
}

export const findTwoFactor = (db: Db, userId: UserId): Promise<TwoFactor | undefined> =>
  cachedUntilCommit(db, `two_factor ${userId}`, async () => {
    const row = await db.selectFrom('two_factor').selectAll().where('user_id', '=', userId).executeTakeFirst()
    return row && { secret: row.secret, isConfirmed: row.is_confirmed === 1 }
  })

/** Inserts a new unconfirmed secret, which replaces an earlier unconfirmed one. */
export async function replaceTwoFactor(
  tx: Tx,
  userId: UserId,
  values: { readonly secret: string; readonly created_at: number },
): Promise<void> {
  await deleteTwoFactor(tx, userId)
  await tx
    .insertInto('two_factor')
    .values({ user_id: userId, ...values })
    .execute()
}

export async function deleteTwoFactor(tx: Tx, userId: UserId): Promise<void> {
  await tx.deleteFrom('two_factor').where('user_id', '=', userId).execute()
}

export async function deleteRecoveryCodes(tx: Tx, userId: UserId): Promise<void> {
  await tx.deleteFrom('two_factor_recovery').where('user_id', '=', userId).execute()
}

/** Returns false when this step or a later one was already used, or the secret was replaced. */
export async function useStep(
  tx: Tx,
  userId: UserId,
  { secret, step }: { readonly secret: string; readonly step: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('two_factor')
    .set({ last_step: step, is_confirmed: 1 })
    .where('user_id', '=', userId)
    .where('secret', '=', secret)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Returns false when the code does not exist or was already used. */
export async function useRecoveryCode(tx: Tx, userId: UserId, codeHash: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('two_factor_recovery')
    .where('user_id', '=', userId)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

export async function replaceRecoveryCodes(tx: Tx, userId: UserId, hashes: readonly string[]): Promise<void> {
  await deleteRecoveryCodes(tx, userId)
  await tx
    .insertInto('two_factor_recovery')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute()
}

export async function countRecoveryCodes(db: Db, userId: UserId): Promise<number> {
  const { count } = await db
    .selectFrom('two_factor_recovery')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
