import { reachesRepo } from '../../../core/access/credential-restriction.ts'
import { canSeeRepo } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { locked, notFound, unauthenticated } from '../../../core/platform/errors.ts'
import { reloadActingUser } from '../../accounts/index.ts'
import { loadRepoAccess, type RepoInView } from './lookup.ts'
import { findRepoById, type Repo } from './repo.store.ts'

/**
 * The actor, the repository and the access as they are now, for a change that has waited for a lock. Throws
 * Unauthenticated when the account or the token may no longer be used, NotFound when the repository is hidden, Locked
 * when it is archived.
 */
export async function renewAccess(
  db: Db,
  actor: SignedIn,
  { id }: Pick<Repo, 'id'>,
): Promise<RepoInView & { readonly actor: SignedIn }> {
  const [renewed, repo] = [await reloadActingUser(db, actor), await findRepoById(db, id)]
  if (renewed === undefined) throw unauthenticated()
  const access = repo && (await loadRepoAccess(db, renewed, repo))
  if (repo === undefined || access === undefined || !canSeeRepo(access) || !reachesRepo(renewed, repo))
    throw notFound('repository does not exist')
  if (repo.isArchived) throw locked(`${repo.fullName} is archived`)
  return { actor: renewed, repo, access }
}
