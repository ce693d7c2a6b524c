import type { Viewer } from '../../access/viewer.ts'
import { visibleRepos } from '../../access/visible-repos.ts'
import type { Db } from '../../db/database.ts'
import { asId, type RepoId } from '../../platform/ids.ts'
import { type Page, type Paging, totalOf } from '../../platform/paging.ts'
import { type Repo, reposInOrder } from '../repos/index.ts'

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
