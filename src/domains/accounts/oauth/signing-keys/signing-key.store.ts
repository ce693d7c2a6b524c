import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { SigningKeyTable } from '../oauth.table.ts'

export type SigningKeyRow = Selectable<SigningKeyTable>

export async function findSigningKey(db: Db, purpose: string): Promise<SigningKeyRow | undefined> {
  return db.selectFrom('signing_key').selectAll().where('purpose', '=', purpose).executeTakeFirst()
}

/** Does nothing when another process has inserted a key first. */
export async function insertSigningKey(tx: Tx, values: Insertable<SigningKeyTable>): Promise<void> {
  await tx
    .insertInto('signing_key')
    .values(values)
    .onConflict((conflict) => conflict.column('purpose').doNothing())
    .execute()
}

/** Deletes the key only if it is still the expected one. */
export async function deleteSigningKey(
  tx: Tx,
  { purpose, key_id }: Pick<SigningKeyRow, 'purpose' | 'key_id'>,
): Promise<void> {
  await tx.deleteFrom('signing_key').where('purpose', '=', purpose).where('key_id', '=', key_id).execute()
}
