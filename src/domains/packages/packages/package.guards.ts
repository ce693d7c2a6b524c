import type { Services } from '../../../core/module.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { isPublicOnly, type Viewer } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { forbidden, notFound } from '../../../core/platform/errors.ts'
import { ownerQueries, type User, userQueries } from '../../accounts/index.ts'
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
  (deps: Pick<PackageOwnerDeps, 'database'>): PackageGuard =>
  (level) => ({
    kind: 'user',
    describe: `callers that may ${level === 'admin' ? 'administer' : level} packages of the owner`,
    needsUser: true,
    async resolve({ viewer, params }) {
      const { read } = deps.database
      const name = params['owner']!
      const owner = await userQueries.findByName(read, name)
      if (owner === undefined)
        throw (await ownerQueries.findMoved(read, viewer, name)) ?? notFound('there is no such owner of packages')
      return { owner, mode: await modeOf(deps, viewer, owner) }
    },
    privacy: ({ owner }) => (owner.visibility === 'public' ? undefined : 'token scope is limited to public packages'),
    decide({ mode }) {
      if (mode < AccessMode[level]) throw forbidden('user should have specific permission or be a site admin')
    },
  })

/** The owner whose packages the viewer may read. Throws NotFound if the account or its packages are hidden. */
export async function getReadablePackageOwner(deps: PackageOwnerDeps, viewer: Viewer, name: string): Promise<User> {
  const owner = await deps.users.getInView(viewer, name)
  if ((await modeOf(deps, viewer, owner)) < AccessMode.read || (isPublicOnly(viewer) && owner.visibility !== 'public'))
    throw notFound('packages are hidden')
  return owner
}

async function modeOf(
  { database }: Pick<PackageOwnerDeps, 'database'>,
  viewer: Viewer,
  owner: User,
): Promise<AccessMode> {
  const grants =
    viewer.kind === 'user' && owner.kind === 'organization'
      ? await loadPackageGrants(database.read, viewer.account.id, owner.id)
      : NO_PACKAGE_GRANTS
  return decidePackageMode(viewer, owner, grants)
}
