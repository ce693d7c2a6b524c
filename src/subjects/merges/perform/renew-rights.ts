import { AccessMode } from '../../../access/access-mode.ts'
import { reachesRepo } from '../../../access/credential-restriction.ts'
import { unitMode } from '../../../access/repo-access.ts'
import type { SignedIn } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import { locked, notFound, unauthenticated } from '../../../platform/errors.ts'
import type { PullInView } from '../../pulls/index.ts'
import { findRepoById, loadRepoAccess } from '../../repos/index.ts'
import { reloadActingUser } from '../../users/index.ts'

/**
 * The actor, the repository and the access as they are now, after a wait. Throws Unauthenticated, NotFound or Locked
 * when the actor may no longer write anything about the pull request.
 */
export async function renewRights<Target extends PullInView>(
  db: Db,
  actor: SignedIn,
  target: Target,
): Promise<{ readonly actor: SignedIn; readonly target: Target }> {
  const [renewed, repo] = [await reloadActingUser(db, actor), await findRepoById(db, target.repo.id)]
  if (renewed === undefined) throw unauthenticated()
  const access = repo && (await loadRepoAccess(db, renewed, repo))
  const mayRead = (unit: 'repo.code' | 'repo.pulls'): boolean =>
    access !== undefined && unitMode(access, unit) >= AccessMode.read
  if (repo === undefined || access === undefined || !reachesRepo(renewed, repo))
    throw notFound('pull request does not exist')
  if (!mayRead('repo.pulls') || !mayRead('repo.code')) throw notFound('pull request does not exist')
  if (repo.isArchived) throw locked(`${repo.fullName} is archived`)
  return { actor: renewed, target: { ...target, repo, access } }
}
