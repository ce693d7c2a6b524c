import type { Db } from '../../db/database.ts'
import type { RepoId } from '../../platform/crypto/ids.ts'
import { type Repo, toRepo } from '../repos/index.ts'
import type { User } from '../users/index.ts'

/** The fork of a repository that a user owns. */
export async function findForkOf(db: Db, baseId: RepoId, owner: User): Promise<Repo | undefined> {
  const row = await db
    .selectFrom('repo')
    .selectAll()
    .where('fork_id', '=', baseId)
    .where('owner_id', '=', owner.id)
    .executeTakeFirst()
  return row && toRepo(row, owner)
}
