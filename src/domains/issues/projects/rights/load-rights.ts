import { AccessMode } from '../../../../core/access/repo-access.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { User } from '../../../accounts/index.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import { allowsProjects, ownerProjectsMode, type ProjectRights, repoProjectsMode } from '../project.policy.ts'
import { loadMemberships } from './owner-grants.store.ts'

/** The level of the viewer on the projects of each of these users and organizations; one query. */
export async function loadOwnerModes(
  db: Db,
  viewer: Viewer,
  owners: readonly User[],
): Promise<ReadonlyMap<UserId, AccessMode>> {
  const orgIds = owners.filter(({ kind }) => kind === 'organization').map(({ id }) => id)
  const memberships = viewer.kind === 'user' ? await loadMemberships(db, viewer.account.id, orgIds) : undefined
  return new Map(owners.map((owner) => [owner.id, ownerProjectsMode(viewer, owner, memberships?.get(owner.id))]))
}

/** The rights of the viewer on the projects to which issues of the repository may belong. */
export async function loadProjectRights(db: Db, viewer: Viewer, { repo, access }: RepoInView): Promise<ProjectRights> {
  const owner = (await loadOwnerModes(db, viewer, [repo.owner])).get(repo.ownerId)!
  return { repo: repoProjectsMode(repo, access), owner: allowsProjects(repo, 'owner') ? owner : AccessMode.none }
}
