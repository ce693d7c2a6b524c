import { isRestrictedToken, type Viewer } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import { forbidden } from '../../../platform/errors.ts'
import type { User } from '../../users/index.ts'
import { countReposOf } from '../repo.store.ts'

/**
 * The refusal when the owner has as many repositories as it may have, or undefined. The owner's own limit overrides
 * the server's; the number in the text is the owner's own (reference auth-and-access §18).
 */
export async function limitReached(db: Db, owner: User, serverLimit: number): Promise<string | undefined> {
  const limit = owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : serverLimit
  if (limit < 0 || (await countReposOf(db, owner.id)) < limit) return undefined
  return `user has reached maximum limit of repositories [limit: ${owner.maxRepoCreation}]`
}

/** A token restricted to repositories creates none, since it could not use them. Throws forbidden. */
export function requireUnrestricted(viewer: Viewer): void {
  if (isRestrictedToken(viewer)) throw forbidden('this token is restricted to repositories and may not make others')
}
