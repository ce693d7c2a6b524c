import type { Database } from '../../../db/database.ts'
import type { Git } from '../../../git/index.ts'
import { findRepoById, type Repo } from '../repo.store.ts'

/**
 * Makes git's HEAD follow the default branch of the row, once that has changed. Several may change it at once: each
 * looks again after it has written HEAD, so that the last one leaves the two alike.
 */
export async function settleHead(
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
