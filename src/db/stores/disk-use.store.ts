import { sql } from 'kysely'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../database.ts'

/** Bytes of the repositories of an owner, with their wikis, large files and attachments. */
export async function measureOwner(db: Db, ownerId: UserId): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select cast(
      (select coalesce(sum(git_size + lfs_size), 0) from repo where owner_id = ${ownerId}) +
      (select coalesce(sum(attachment.size), 0) from repo inner join attachment on attachment.repo_id = repo.id where repo.owner_id = ${ownerId})
    as bigint) as bytes`.execute(db)
  return rows[0]!.bytes
}
