import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { errors } from '../../errors.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { accessQueries } from '../../repositories/index.ts'

/**
 * Reloads the actor, the repository and the access after a wait. Throws what `renewAccess` throws, and NotFound when
 * the actor may no longer read pull requests.
 */
export async function renewRights(
  db: Db,
  former: SignedIn,
  target: PullInView,
): Promise<{ readonly actor: SignedIn; readonly target: PullInView }> {
  const { actor, repo, access } = await accessQueries.renew(db, former, target.repo)
  if (unitMode(access, 'repo.pulls') < AccessMode.read || unitMode(access, 'repo.code') < AccessMode.read)
    throw errors.pullNotFound()
  return { actor, target: { ...target, repo, access } }
}
