import { canSeeOwner } from '../../../core/access/repo-access.ts'
import { isOrgMember } from '../../../core/access/repo-grants.store.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { MovedError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { findRenamedUserId, findUserById, findUserByName, type User } from './user.store.ts'

/** A user or organization that the viewer may see. Throws NotFound or Moved. */
export async function getOwnerInView(db: Db, viewer: Viewer, name: string): Promise<User> {
  const owner = await findUserByName(db, name)
  if (owner === undefined) throw (await movedOwner(db, viewer, name)) ?? errors.userNotFound()
  if (!(await isOwnerInView(db, viewer, owner))) throw errors.userNotFound()
  return owner
}

/**
 * Like `getOwnerInView`, but also finds a hidden account that the viewer knows from elsewhere, such as a list of
 * members.
 */
export async function getKnownOwner(
  db: Db,
  viewer: Viewer,
  name: string,
  isKnown: (user: User) => Promise<boolean>,
): Promise<User> {
  const user = await findUserByName(db, name)
  return user !== undefined && (await isKnown(user)) ? user : getOwnerInView(db, viewer, name)
}

export async function isOwnerInView(db: Db, viewer: Viewer, owner: User): Promise<boolean> {
  const dependsOnMembership = viewer.kind === 'user' && owner.kind === 'organization' && owner.visibility !== 'public'
  const isMember = dependsOnMembership && (await isOrgMember(db, owner.id, viewer.account.id))
  return canSeeOwner(viewer, owner, isMember)
}

/** The redirect to the account that formerly had this name; undefined when the viewer may not see that account. */
export async function movedOwner(db: Db, viewer: Viewer, name: string): Promise<MovedError | undefined> {
  const id = await findRenamedUserId(db, name)
  const user = id === undefined ? undefined : await findUserById(db, id)
  if (user === undefined || !(await isOwnerInView(db, viewer, user))) return undefined
  return new MovedError('owner', name, user.name)
}
