import { AccessMode } from '../../access/access-mode.ts'
import type { Database } from '../../db/database.ts'
import type { Guard } from '../../http/guards/guard.ts'
import { forbidden } from '../../platform/errors.ts'
import type { User, Users } from '../users/index.ts'
import { loadPackageGrants } from './package-grants.store.ts'
import { decidePackageMode, NO_PACKAGE_GRANTS } from './packages.policy.ts'

interface PackageOwner {
  readonly owner: User
  readonly mode: AccessMode
}

export type PackageGuard = (level: 'read' | 'write') => Guard<PackageOwner>

/** `{owner}`, a user or an organization: hidden or missing 404, without the right 403. */
export const createPackageGuard =
  ({ database, users }: { readonly database: Database; readonly users: Users }): PackageGuard =>
  (level) => ({
    kind: 'user',
    describe: `callers that may ${level} packages of the owner`,
    needsUser: level === 'write',
    async resolve({ viewer, params }) {
      const owner = await users.getInView(viewer, params['owner']!)
      const grants =
        viewer.kind === 'user' && owner.kind === 'organization'
          ? await loadPackageGrants(database.read, viewer.account.id, owner.id)
          : NO_PACKAGE_GRANTS
      return { owner, mode: decidePackageMode(viewer, owner, grants) }
    },
    privacy: ({ owner }) => (owner.visibility === 'public' ? undefined : 'token scope is limited to public packages'),
    decide({ mode }) {
      if (mode < (level === 'read' ? AccessMode.read : AccessMode.write))
        throw forbidden('user should have specific permission or be a site admin')
    },
  })
