import { sql } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../db/database.ts'
import type { RepoId } from '../../platform/ids.ts'

/**
 * Takes a repository out of every counter that others carry, before its row is deleted: stars, topics, its parent; its
 * forks stand alone.
 */
export async function releaseRepo(tx: Tx, id: RepoId): Promise<void> {
  await dialectOf(tx)
    .lockToDelete(tx.selectFrom('repo').select('id').where('id', '=', id))
    .execute()
  await tx
    .updateTable('user')
    .set((eb) => ({ stars_count: eb('stars_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('star').select('user_id').where('repo_id', '=', id))
    .execute()
  await tx
    .updateTable('topic')
    .set((eb) => ({ repo_count: eb('repo_count', '-', 1) }))
    .where('id', 'in', (eb) => eb.selectFrom('repo_topic').select('topic_id').where('repo_id', '=', id))
    .execute()
  await sql`update repo set forks_count = forks_count - 1 where forks_count > 0 and id = (select fork_id from repo where id = ${id})`.execute(
    tx,
  )
  await tx.updateTable('repo').set({ fork_id: 0, is_fork: 0 }).where('fork_id', '=', id).execute()
}

/** Those of the storage keys that a repository has. */
export async function listUsedStorages(db: Db, storages: readonly string[]): Promise<Set<string>> {
  if (storages.length === 0) return new Set()
  const rows = await db.selectFrom('repo').select('storage').where('storage', 'in', storages).execute()
  return new Set(rows.map((row) => row.storage))
}
