import { sql } from 'kysely'
import type { Db } from '../../../core/db/database.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'
import type { User } from '../../accounts/index.ts'

/** The maximum depth of a chain of forks. */
const MAX_DEPTH = 10
/** The maximum number of repositories of one owner in one network. */
const MAX_REPOS = 20

/** The ids of the repository and of its fork ancestors, the nearest first. */
export async function listForkAncestors(db: Db, id: RepoId): Promise<RepoId[]> {
  const rows = await db
    .withRecursive('ancestor(id, depth)', (cte) =>
      cte
        .selectFrom('repo')
        .select(['id', sql<number>`0`.as('depth')])
        .where('id', '=', id)
        .unionAll(
          cte
            .selectFrom('ancestor')
            .innerJoin('repo', 'repo.id', 'ancestor.id')
            .select(['repo.fork_id as id', sql<number>`ancestor.depth + 1`.as('depth')])
            .where('repo.fork_id', '>', 0)
            .where('ancestor.depth', '<', MAX_DEPTH),
        ),
    )
    .selectFrom('ancestor')
    .select('id')
    .orderBy('depth')
    .execute()
  return rows.map((row) => asId(row.id))
}

/** The repositories of an owner that descend from `rootId` by forks, including itself, the oldest first; at most 20. */
export async function listReposOfNetwork(db: Db, rootId: RepoId, owner: User): Promise<Repo[]> {
  const rows = await db
    .withRecursive('ancestor(id, at, depth)', (cte) =>
      cte
        .selectFrom('repo')
        .select(['id', 'id as at', sql<number>`0`.as('depth')])
        .where('owner_id', '=', owner.id)
        .unionAll(
          cte
            .selectFrom('ancestor')
            .innerJoin('repo', 'repo.id', 'ancestor.at')
            .select(['ancestor.id', 'repo.fork_id as at', sql<number>`ancestor.depth + 1`.as('depth')])
            .where('repo.fork_id', '>', 0)
            .where('ancestor.depth', '<', MAX_DEPTH),
        ),
    )
    .selectFrom('repo')
    .selectAll()
    .where('owner_id', '=', owner.id)
    .where('id', 'in', (eb) => eb.selectFrom('ancestor').select('ancestor.id').where('at', '=', rootId))
    .orderBy('id')
    .limit(MAX_REPOS)
    .execute()
  return rows.map((row) => repoQueries.toRepo(row, owner))
}

/** The fork of a repository that a user owns. */
export async function findForkOf(db: Db, baseId: RepoId, owner: User): Promise<Repo | undefined> {
  const row = await db
    .selectFrom('repo')
    .selectAll()
    .where('fork_id', '=', baseId)
    .where('owner_id', '=', owner.id)
    .executeTakeFirst()
  return row && repoQueries.toRepo(row, owner)
}
