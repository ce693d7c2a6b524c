import { AccessMode } from '../../access/access-mode.ts'
import { isRepoAdmin, type RepoAccess, unitMode } from '../../access/repo-access.ts'
import { missingScope } from '../../access/scopes.ts'
import type { Viewer } from '../../access/viewer.ts'

/**
 * Drafts are visible to users who may write releases, with credentials that allow it (behaviour/repositories#releases).
 */
export function mayManageReleases(viewer: Viewer, access: RepoAccess): boolean {
  if (viewer.kind === 'anonymous' || missingScope(viewer.scopes, 'write', ['repository']) !== undefined) return false
  return isRepoAdmin(access) || unitMode(access, 'repo.releases') >= AccessMode.write
}
