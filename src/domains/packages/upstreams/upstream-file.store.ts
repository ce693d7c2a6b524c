import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { PackageUpstreamFileTable } from './upstream.table.ts'

export type UpstreamFile = Selectable<PackageUpstreamFileTable>

export const findUpstreamFile = (db: Db, upstreamId: number, key: string): Promise<UpstreamFile | undefined> =>
  db
    .selectFrom('package_upstream_file')
    .selectAll()
    .where('upstream_id', '=', upstreamId)
    .where('key', '=', key)
    .executeTakeFirst()

/** Inserts a copy, or replaces it; undefined if its upstream was deleted. */
export async function saveUpstreamFile(tx: Tx, file: Omit<UpstreamFile, 'id'>): Promise<UpstreamFile | undefined> {
  const { upstream_id: id, key: _key, ...changed } = file
  const found = await tx.selectFrom('package_upstream').select('id').where('id', '=', id).executeTakeFirst()
  if (found === undefined) return undefined
  return tx
    .insertInto('package_upstream_file')
    .values(file)
    .onConflict((on) => on.columns(['upstream_id', 'key']).doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function setUpstreamFileTimes(
  tx: Tx,
  id: number,
  times: Partial<Pick<UpstreamFile, 'fetched_at' | 'used_at'>>,
): Promise<void> {
  await tx.updateTable('package_upstream_file').set(times).where('id', '=', id).execute()
}

export async function deleteUpstreamFiles(tx: Tx, upstreamId: number): Promise<void> {
  await tx.deleteFrom('package_upstream_file').where('upstream_id', '=', upstreamId).execute()
}

const BATCH = 1000

/** Deletes some of the copies that nobody has read since; false if there were none. */
export async function deleteUnusedUpstreamFiles(tx: Tx, before: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('package_upstream_file')
    .where('id', 'in', (query) =>
      query.selectFrom('package_upstream_file').select('id').where('used_at', '<', before).limit(BATCH),
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Whether a copy has this content. */
export async function findUpstreamUse(db: Db, sha256: string): Promise<true | undefined> {
  for (const column of ['sha256', 'source_sha256'] as const) {
    const query = db.selectFrom('package_upstream_file').select('id').where(column, '=', sha256).limit(1)
    if ((await query.executeTakeFirst()) !== undefined) return true
  }
  return undefined
}

/** Bytes of all copies of an owner. */
export async function sumUpstreamFiles(db: Db, ownerId: UserId): Promise<number> {
  const { size } = await db
    .selectFrom('package_upstream_file')
    .innerJoin('package_upstream', 'package_upstream.id', 'package_upstream_file.upstream_id')
    .select(sql<number>`cast(coalesce(sum(package_upstream_file.size), 0) as bigint)`.as('size'))
    .where('package_upstream.owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return size
}
