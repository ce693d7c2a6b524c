import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { ActionIdTokenKeyTable } from './id-token-key.table.ts'

export type KeyRow = Selectable<ActionIdTokenKeyTable>

/** The newest first. */
export const listKeys = (db: Db): Promise<KeyRow[]> =>
  db.selectFrom('action_id_token_key').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').execute()

export async function insertKey(tx: Tx, values: Insertable<ActionIdTokenKeyTable>): Promise<void> {
  await tx.insertInto('action_id_token_key').values(values).execute()
}

export async function deleteKeysBefore(tx: Tx, createdAt: number): Promise<void> {
  await tx.deleteFrom('action_id_token_key').where('created_at', '<', createdAt).execute()
}
