import { sql } from 'kysely'
import type { Db } from '../../../core/db/database.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'

/** Repositories whose sync is due, longest overdue first; excludes archived ones. */
export const listDueMirrors = async (db: Db, now: number, limit: number): Promise<RepoId[]> =>
  (await listDue(db, { table: 'mirror', key: 'repo_id' }, { now, limit })).map((id) => asId(id))

/** Push mirrors whose push is due, longest overdue first; excludes archived repositories. */
export const listDuePushMirrors = (db: Db, now: number, limit: number): Promise<number[]> =>
  listDue(db, { table: 'push_mirror', key: 'id' }, { now, limit })

async function listDue(
  db: Db,
  { table, key }: { readonly table: 'mirror' | 'push_mirror'; readonly key: 'id' | 'repo_id' },
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ key: number }>`
    select due.${sql.ref(key)} as key from ${sql.table(table)} as due inner join repo on repo.id = due.repo_id
    where due.next_sync_at > 0 and due.next_sync_at <= ${now} and repo.is_archived = 0 order by due.next_sync_at limit ${limit}`.execute(
    db,
  )
  return rows.map((row) => row.key)
}
