import {
  AccessMode,
  isRepoAdmin,
  type RepoAccess,
  unitMode,
  hasUnit,
  type UnitSet,
} from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'

interface WikiFacts {
  readonly units: UnitSet
  readonly access: RepoAccess
  /** Whether every signed-in user with read access to the wiki may write it. */
  readonly isGloballyEditable: boolean
}

/** Access of a viewer to the wiki of this server; none if it is disabled or external (behaviour/repositories#wiki). */
export function wikiMode(viewer: Viewer, { units, access, isGloballyEditable }: WikiFacts): AccessMode {
  if (!hasUnit(units, 'repo.wiki')) return AccessMode.none
  const mode = unitMode(access, 'repo.wiki')
  if (isRepoAdmin(access) || mode >= AccessMode.write) return AccessMode.write
  return mode >= AccessMode.read && isGloballyEditable && viewer.kind === 'user' ? AccessMode.write : mode
}
