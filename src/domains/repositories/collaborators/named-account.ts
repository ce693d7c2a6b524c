import { AccessMode } from '../../../core/access/repo-access.ts'
import { loadRepoGrants } from '../../../core/access/repo-grants.store.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { type User, userQueries, ownerQueries } from '../../accounts/index.ts'
import type { Repo } from '../repos/repo.store.ts'

/**
 * Whether the viewer may name the account in a request about the repository: the account is visible to the viewer, or
 * it has a permission for the repository, as lists of the repository show.
 */
export async function mayName(db: Db, viewer: SignedIn, repo: Repo, user: User): Promise<boolean> {
  if (await ownerQueries.isInView(db, viewer, user)) return true
  const grants = (await loadRepoGrants(db, user.id, [repo])).get(repo.id)
  return grants !== undefined && (grants.isOrgMember || grants.collaboration > AccessMode.none)
}

/** Undefined also for an account that the viewer may not name: both get the same response. */
export async function findNamedAccount(db: Db, viewer: SignedIn, repo: Repo, name: string): Promise<User | undefined> {
  const user = await userQueries.findByName(db, name)
  return user !== undefined && (await mayName(db, viewer, repo, user)) ? user : undefined
}
