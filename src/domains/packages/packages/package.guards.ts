import type { Services } from '../../../core/module.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { isPublicOnly, type Viewer } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { forbidden, notFound } from '../../../core/platform/errors.ts'
import type { User } from '../../accounts/index.ts'
import { loadPackageGrants } from './package-grants.store.ts'
import { decidePackageMode, NO_PACKAGE_GRANTS } from './packages.policy.ts'

interface PackageOwner {
  readonly owner: User
  readonly mode: AccessMode
}

interface PackageOwnerDeps {
  readonly database: Database
  readonly users: Pick<Services['users'], 'getInView'>
}

export type PackageGuard = (level: 'read' | 'write' | 'admin') => Guard<PackageOwner>

/** `{owner}`, a user or an organization: 404 if hidden or missing, 403 without permission. */
export const createPackageGuard =
  (deps: PackageOwnerDeps): PackageGuard =>
  (level) => ({
    kind: 'user',
    describe: `callers that may ${level === 'admin' ? 'administer' : level} packages of the owner`,
    needsUser: level !== 'read',
    resolve: ({ viewer, params }) => findPackageOwner(deps, viewer, params['owner']!),
    privacy: ({ owner }) => (owner.visibility === 'public' ? undefined : 'token scope is limited to public packages'),
    decide({ mode }) {
      if (mode < AccessMode[level]) throw forbidden('user should have specific permission or be a site admin')
    },
  })

/** The owner whose packages the viewer may read. Throws NotFound if the account or its packages are hidden. */
export async function getReadablePackageOwner(deps: PackageOwnerDeps, viewer: Viewer, name: string): Promise<User> {
  const { owner, mode } = await findPackageOwner(deps, viewer, name)
  if (mode < AccessMode.read || (isPublicOnly(viewer) && owner.visibility !== 'public'))
    throw notFound('packages are hidden')
  return owner
}

async function findPackageOwner(
  { database, users }: PackageOwnerDeps,
  viewer: Viewer,
  name: string,
): Promise<PackageOwner> {
  const owner = await users.getInView(viewer, name)
  const grants =
    viewer.kind === 'user' && owner.kind === 'organization'
      ? await loadPackageGrants(database.read, viewer.account.id, owner.id)
      : NO_PACKAGE_GRANTS
  return { owner, mode: decidePackageMode(viewer, owner, grants) }
}
