import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { UnfinishedImportTable } from './unfinished-import.table.ts'

type UnfinishedImport = Selectable<UnfinishedImportTable>

/** Records that an import writes under this storage key, until its repository is inserted or its files are deleted. */
export async function insertUnfinishedImport(tx: Tx, row: UnfinishedImport): Promise<void> {
  await tx.insertInto('unfinished_import').values(row).execute()
}

export async function deleteUnfinishedImport(tx: Tx, storage: string): Promise<void> {
  await tx.deleteFrom('unfinished_import').where('storage', '=', storage).execute()
}

/** Imports that began before a time in epoch milliseconds, oldest first. */
export const listUnfinishedImports = (db: Db, startedBefore: number): Promise<UnfinishedImport[]> =>
  db.selectFrom('unfinished_import').selectAll().where('started_at', '<', startedBefore).orderBy('started_at').execute()
