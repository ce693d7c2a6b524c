import type { RepoId, UserId } from '../platform/crypto/ids.ts'
import { AccessMode } from './access-mode.ts'
import { hasUnit, type Unit, UNITS, type UnitSet } from './units.ts'
import type { Viewer, Visibility } from './viewer.ts'

export interface RepoFacts {
  readonly id: RepoId
  readonly isPrivate: boolean
  readonly isArchived: boolean
  readonly units: UnitSet
  readonly owner: OwnerFacts
}

export interface OwnerFacts {
  readonly id: UserId
  readonly kind: 'individual' | 'organization' | 'bot'
  readonly visibility: Visibility
}

/** A team of the viewer that includes the repository. */
export interface TeamGrant {
  readonly mode: AccessMode
  readonly units: ReadonlyMap<Unit, AccessMode>
}

/** What grants a viewer to a repository and its owner; all empty for most. */
export interface RepoGrants {
  readonly collaboration: AccessMode
  readonly isOrgMember: boolean
  readonly teams: readonly TeamGrant[]
}

export const NO_GRANTS: RepoGrants = { collaboration: AccessMode.none, isOrgMember: false, teams: [] }

export interface RepoAccess {
  /** The level outside of any unit: settings, deletion. */
  readonly mode: AccessMode
  readonly units: ReadonlyMap<Unit, AccessMode>
}

/** The access of a viewer from whom the repository is hidden. */
export const NO_ACCESS: RepoAccess = { mode: AccessMode.none, units: new Map() }

/** Whether grants can change the decision: they need not be loaded otherwise. */
export function needsGrants(viewer: Viewer, repo: RepoFacts): boolean {
  return viewer.kind === 'user' && !viewer.account.isAdmin && viewer.account.id !== repo.owner.id
}

/**
 * The permission model (behaviour/auth-and-access#permission-model), first hit wins. Its twin for lists is
 * db/stores/visibility.ts.
 */
export function decideRepoAccess(viewer: Viewer, repo: RepoFacts, grants: RepoGrants): RepoAccess {
  if (viewer.kind === 'anonymous') {
    return repo.isPrivate || repo.owner.visibility !== 'public' ? NO_ACCESS : everywhere(repo, AccessMode.read)
  }
  if (viewer.onlyRepos && !viewer.onlyRepos.has(repo.id)) return NO_ACCESS
  const { account } = viewer
  if (account.isAdmin || account.id === repo.owner.id) return everywhere(repo, AccessMode.owner)
  if (!canSeeOwner(viewer, repo.owner, grants.isOrgMember) && grants.collaboration === AccessMode.none) return NO_ACCESS
  const base = higher(
    grants.collaboration,
    readsPublicly(account.isRestricted, repo) ? AccessMode.read : AccessMode.none,
  )
  if (repo.owner.kind !== 'organization') return everywhere(repo, base)
  return byTeams(repo, base, grants.teams)
}

/**
 * Who sees an owner (behaviour/auth-and-access#user-kinds-and-visibility). Membership counts for organizations only.
 */
export function canSeeOwner(viewer: Viewer, owner: OwnerFacts, isOrgMember: boolean): boolean {
  if (owner.visibility === 'public') return true
  if (viewer.kind === 'anonymous') return false
  if (viewer.account.isAdmin || viewer.account.id === owner.id || isOrgMember) return true
  return owner.visibility === 'limited' && !viewer.account.isRestricted
}

export const canSeeRepo = (access: RepoAccess): boolean =>
  access.mode >= AccessMode.read || [...access.units.values()].some((mode) => mode >= AccessMode.read)
export const unitMode = (access: RepoAccess, unit: Unit): AccessMode => access.units.get(unit) ?? AccessMode.none
export const isRepoAdmin = (access: RepoAccess): boolean => access.mode >= AccessMode.admin

/** What the owner may do. */
export const ownerAccess = (repo: RepoFacts): RepoAccess => everywhere(repo, AccessMode.owner)

/** What a deploy key may do in its repository: code and wiki, nothing else. */
export function deployAccess(repo: RepoFacts, isReadOnly: boolean): RepoAccess {
  const mode = isReadOnly ? AccessMode.read : AccessMode.write
  const units = (['repo.code', 'repo.wiki'] as const).filter((unit) => hasUnit(repo.units, unit))
  return { mode, units: new Map(units.map((unit) => [unit, mode])) }
}

/** The `permissions` member of a Repository. */
export function presentablePermissions(access: RepoAccess): { admin: boolean; push: boolean; pull: boolean } {
  const code = unitMode(access, 'repo.code')
  return { admin: isRepoAdmin(access), push: code >= AccessMode.write, pull: code >= AccessMode.read }
}

function readsPublicly(isRestricted: boolean, repo: RepoFacts): boolean {
  return !repo.isPrivate && (!isRestricted || repo.owner.visibility === 'public')
}

function byTeams(repo: RepoFacts, base: AccessMode, teams: readonly TeamGrant[]): RepoAccess {
  if (teams.some((team) => team.mode >= AccessMode.admin)) return everywhere(repo, AccessMode.owner)
  if (teams.length === 0) return everywhere(repo, base)
  const units = new Map<Unit, AccessMode>()
  for (const unit of UNITS) {
    if (!hasUnit(repo.units, unit)) continue
    const granted = teams.map((team) => team.units.get(unit) ?? AccessMode.none)
    units.set(unit, granted.reduce(higher, base))
  }
  return { mode: base, units }
}

function everywhere(repo: RepoFacts, mode: AccessMode): RepoAccess {
  return { mode, units: grants(repo.units, mode) }
}

const cache = new Map<number, ReadonlyMap<Unit, AccessMode>>()

/** NOTE: there are few combinations of units and mode, and this runs for every row of every list. */
function grants(units: UnitSet, mode: AccessMode): ReadonlyMap<Unit, AccessMode> {
  const key = units * 8 + mode
  const cached = cache.get(key)
  if (cached) return cached
  const made = new Map(UNITS.filter((unit) => hasUnit(units, unit)).map((unit) => [unit, mode]))
  cache.set(key, made)
  return made
}

function higher(a: AccessMode, b: AccessMode): AccessMode {
  return a > b ? a : b
}
