import { AccessMode, canSeeOwner, type OwnerFacts } from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { PackageGrants } from './package-grants.store.ts'

export const NO_PACKAGE_GRANTS: PackageGrants = { isOrgMember: false, teams: [] }

/**
 * The access of a viewer to the packages of an owner: who can see a user or an organization can read them, also members
 * whose teams lack the unit; teams of an organization may have more rights, and so may jobs of its repositories
 * (behaviour/orgs-webhooks-actions#packages).
 */
export function decidePackageMode(viewer: Viewer, owner: OwnerFacts, grants: PackageGrants): AccessMode {
  if (viewer.kind === 'user') {
    if (viewer.onlyRepos !== undefined) return AccessMode.none
    const asJob = viewer.job?.ownerId === owner.id ? viewer.job.units.get('repo.packages') : undefined
    if (asJob !== undefined) return AccessMode[asJob]
    if (viewer.account.isAdmin || viewer.account.id === owner.id) return AccessMode.owner
  }
  const modes = grants.teams.map(({ mode, packages }) => (mode >= AccessMode.admin ? AccessMode.owner : packages))
  return [canSeeOwner(viewer, owner, grants.isOrgMember) ? AccessMode.read : AccessMode.none, ...modes].reduce(
    (a, b) => (a > b ? a : b),
  )
}
