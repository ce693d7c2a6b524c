import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'

/** Locks a repository that the transaction deletes, so that no new row refers to it. */
export async function lockRepoToDelete(tx: Tx, id: RepoId): Promise<void> {
  await dialectOf(tx)
    .lockToDelete(tx.selectFrom('repo').select('id').where('id', '=', id))
    .execute()
}

/** Before a repository is deleted: decrements the counter of its parent and detaches its forks. */
export async function detachForks(tx: Tx, id: RepoId): Promise<void> {
  await tx
    .updateTable('repo')
    .set((eb) => ({ forks_count: eb('forks_count', '-', 1) }))
    .where('forks_count', '>', 0)
    .where('id', '=', (eb) => eb.selectFrom('repo as deleted').select('deleted.fork_id').where('deleted.id', '=', id))
    .execute()
  await tx.updateTable('repo').set({ fork_id: 0, is_fork: 0 }).where('fork_id', '=', id).execute()
}

/** Those of the storage keys that a repository has. */
export async function listUsedStorages(db: Db, storages: readonly string[]): Promise<Set<string>> {
  if (storages.length === 0) return new Set()
  const rows = await db.selectFrom('repo').select('storage').where('storage', 'in', storages).execute()
  return new Set(rows.map((row) => row.storage))
}
