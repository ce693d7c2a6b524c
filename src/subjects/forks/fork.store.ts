import type { Viewer } from '../../access/viewer.ts'
import { visibleRepos } from '../../access/visible-repos.ts'
import type { Db, Tx } from '../../db/database.ts'
import { asId, type RepoId } from '../../platform/ids.ts'
import { type Page, type Paging, totalOf } from '../../platform/paging.ts'
import { type Repo, reposInOrder, toRepo } from '../repos/repo.store.ts'
import type { User } from '../users/user.store.ts'

/** The forks of a repository that the viewer may see, oldest first. */
export async function listForks(db: Db, baseId: RepoId, viewer: Viewer, paging: Paging): Promise<Page<Repo>> {
  const query = db
    .selectFrom('repo')
    .where('repo.fork_id', '=', baseId)
    .where((eb) => visibleRepos(viewer)(eb))
  const ids = await query.select('repo.id').orderBy('repo.id').limit(paging.limit).offset(paging.offset).execute()
  const count = async (): Promise<number> =>
    (await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()).total
  return {
    items: await reposInOrder(
      db,
      ids.map((row) => asId(row.id)),
    ),
    total: totalOf(paging, ids.length) ?? (await count()),
  }
}

export async function findForkOf(db: Db, baseId: RepoId, owner: User): Promise<Repo | undefined> {
  const row = await db
    .selectFrom('repo')
    .selectAll()
    .where('fork_id', '=', baseId)
    .where('owner_id', '=', owner.id)
    .executeTakeFirst()
  return row && toRepo(row, owner)
}

export async function countFork(tx: Tx, baseId: RepoId): Promise<void> {
  await tx
    .updateTable('repo')
    .set((eb) => ({ forks_count: eb('forks_count', '+', 1) }))
    .where('id', '=', baseId)
    .execute()
}
