import type { Db, Tx } from '../../db/database.ts'

/** Records that an import writes under this storage key, until its repository is inserted or its files are deleted. */
export async function insertUnfinishedImport(tx: Tx, storage: string, startedAt: number): Promise<void> {
  await tx.insertInto('unfinished_import').values({ storage, started_at: startedAt }).execute()
}

export async function deleteUnfinishedImport(tx: Tx, storage: string): Promise<void> {
  await tx.deleteFrom('unfinished_import').where('storage', '=', storage).execute()
}

/** Storage keys of imports that began before a time in epoch milliseconds, oldest first. */
export async function listUnfinishedImports(db: Db, startedBefore: number): Promise<string[]> {
  return (
    await db
      .selectFrom('unfinished_import')
      .select('storage')
      .where('started_at', '<', startedBefore)
      .orderBy('started_at')
      .execute()
  ).map((row) => row.storage)
}
