import type { Database } from '../../../../core/db/database.ts'
import type { Git } from '../../../../core/git/index.ts'
import { findRepoById, type Repo } from '../repo.store.ts'

/**
 * Points git's HEAD at the default branch of the row. When several requests change the branch at once, each reads the
 * row again after it has written HEAD, so that row and HEAD agree in the end.
 */
export async function syncHead(
  { database, git }: { readonly database: Database; readonly git: Git },
  id: Repo['id'],
): Promise<void> {
  let repo = await findRepoById(database.read, id)
  for (
    let written: string | undefined;
    repo !== undefined && repo.defaultBranch !== written;
    repo = await findRepoById(database.read, id)
  ) {
    written = repo.defaultBranch
    await git.open(repo).refs.setHead(written)
  }
}
