import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { User } from '../users/user.store.ts'
import { loadOrgRights } from './teams/team.store.ts'

/** Whether the viewer may create repositories for this owner (behaviour/repositories#creating). */
export async function mayCreateFor(db: Db, viewer: SignedIn, owner: User): Promise<boolean> {
  return isSiteAdmin(viewer) || ownsOrCreatesIn(db, viewer, owner)
}

/**
 * The owner itself, an organization's owners, and members of its teams with `can_create_org_repo`. Site administrators
 * need to be one of these.
 */
export async function ownsOrCreatesIn(db: Db, viewer: SignedIn, owner: User): Promise<boolean> {
  if (viewer.account.id === owner.id) return true
  return owner.kind === 'organization' && (await loadOrgRights(db, owner.id, viewer.account.id)).canCreateRepo
}
