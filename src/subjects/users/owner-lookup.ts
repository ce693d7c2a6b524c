import { canSeeOwner } from '../../access/repo-access.ts'
import { isOrgMember } from '../../access/repo-grants.store.ts'
import { ANONYMOUS, type Viewer } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { MovedError, notFound } from '../../platform/errors.ts'
import { findRenamedUserId, findUserById, findUserByName, type User } from './user.store.ts'

/** A user or organization that the viewer may see. Throws NotFound or Moved. */
export async function getOwnerInView(db: Db, viewer: Viewer, name: string): Promise<User> {
  const owner = await findUserByName(db, name)
  if (owner === undefined) throw (await movedOwner(db, viewer, name)) ?? notFound('user does not exist')
  if (!(await isOwnerInView(db, viewer, owner))) throw notFound('user does not exist')
  return owner
}

/**
 * The user or organization, hidden ones too, for callers from whom it is not hidden. Throws NotFound, and Moved for the
 * former name of an account that anonymous callers may see.
 */
export async function getUserByName(db: Db, name: string): Promise<User> {
  const user = await findUserByName(db, name)
  if (user === undefined) throw (await movedOwner(db, ANONYMOUS, name)) ?? notFound('user does not exist')
  return user
}

export async function isOwnerInView(db: Db, viewer: Viewer, owner: User): Promise<boolean> {
  const dependsOnMembership = viewer.kind === 'user' && owner.kind === 'organization' && owner.visibility !== 'public'
  const isMember = dependsOnMembership && (await isOrgMember(db, owner.id, viewer.account.id))
  return canSeeOwner(viewer, owner, isMember)
}

/** The redirect to the account that had this name before; undefined when the viewer may not see that account. */
export async function movedOwner(db: Db, viewer: Viewer, name: string): Promise<MovedError | undefined> {
  const id = await findRenamedUserId(db, name)
  const user = id === undefined ? undefined : await findUserById(db, id)
  if (user === undefined || !(await isOwnerInView(db, viewer, user))) return undefined
  return new MovedError('owner', name, user.name)
}
