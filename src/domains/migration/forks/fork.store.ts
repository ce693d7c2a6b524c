import type { Viewer } from '../../../core/access/viewer.ts'
import { visibleRepos } from '../../../core/access/visible-repos.ts'
import type { Db } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'

/** The forks of a repository that the viewer may see, oldest first. */
export async function listForks(db: Db, baseId: RepoId, viewer: Viewer, paging: Paging): Promise<Page<Repo>> {
  const query = db
    .selectFrom('repo')
    .select('repo.id')
    .where('repo.fork_id', '=', baseId)
    .where((eb) => visibleRepos(viewer)(eb))
    .orderBy('repo.id')
  const { items, total } = await selectPage(query, paging, (row) => asId<RepoId>(row.id))
  return { items: await repoQueries.inOrder(db, items), total }
}
