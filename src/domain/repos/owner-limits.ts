import type { Db } from '../../db/database.ts'
import { canCreateRepoIn } from '../../db/stores/new-repo.store.ts'
import { countReposOf } from '../../db/stores/repo.store.ts'
import type { User } from '../../db/stores/user.store.ts'
import { forbidden } from '../../platform/errors.ts'
import { isRestrictedToken, isSiteAdmin, type SignedIn, type Viewer } from '../../policy/viewer.ts'

/** Whether the viewer may make repositories for this owner (reference repositories §4). */
export async function mayCreateFor(db: Db, viewer: SignedIn, owner: User): Promise<boolean> {
  if (isSiteAdmin(viewer) || viewer.account.id === owner.id) return true
  return owner.kind === 'organization' && canCreateRepoIn(db, owner.id, viewer.account.id)
}

/**
 * The refusal when the owner has as many repositories as it may have, or undefined. The owner's own limit goes before
 * the server's; the number in the text is the owner's own (reference auth-and-access §18).
 */
export async function limitReached(db: Db, owner: User, serverLimit: number): Promise<string | undefined> {
  const limit = owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : serverLimit
  if (limit < 0 || (await countReposOf(db, owner.id)) < limit) return undefined
  return `user has reached maximum limit of repositories [limit: ${owner.maxRepoCreation}]`
}

/** A token restricted to repositories makes no others: it could reach them no more. Throws forbidden. */
export function requireUnrestricted(viewer: Viewer): void {
  if (isRestrictedToken(viewer)) throw forbidden('this token is restricted to repositories and may not make others')
}
