import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { PackageSigningKeyTable } from './signing-key.table.ts'

export type SigningKeyKind = 'openpgp' | 'rsa'
export type SigningKeyRow = Selectable<PackageSigningKeyTable>

export const findSigningKey = (db: Db, ownerId: UserId, kind: SigningKeyKind): Promise<SigningKeyRow | undefined> =>
  db
    .selectFrom('package_signing_key')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('kind', '=', kind)
    .executeTakeFirst()

/** Does nothing if the owner has a key of this kind. */
export async function insertSigningKey(tx: Tx, row: Omit<SigningKeyRow, 'id'>): Promise<void> {
  await tx
    .insertInto('package_signing_key')
    .values(row)
    .onConflict((on) => on.columns(['owner_id', 'kind']).doNothing())
    .execute()
}

export async function deleteSigningKey(tx: Tx, ownerId: UserId, kind: SigningKeyKind): Promise<void> {
  await tx.deleteFrom('package_signing_key').where('owner_id', '=', ownerId).where('kind', '=', kind).execute()
}
