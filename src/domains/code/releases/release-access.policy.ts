import { AccessMode, isRepoAdmin, type RepoAccess, unitMode } from '../../../core/access/repo-access.ts'
import { missingScope, type Viewer } from '../../../core/access/viewer.ts'

/**
 * Drafts are visible to users who may write releases, with credentials that allow it (behaviour/repositories#releases).
 */
export function mayManageReleases(viewer: Viewer, access: RepoAccess): boolean {
  if (viewer.kind === 'anonymous' || missingScope(viewer.scopes, 'write', ['repository']) !== undefined) return false
  return isRepoAdmin(access) || unitMode(access, 'repo.releases') >= AccessMode.write
}
