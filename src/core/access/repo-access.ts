import { asId, type RepoId, type UserId } from '../platform/crypto/ids.ts'
import { ANONYMOUS, type JobRights, type Viewer, type Visibility } from './viewer.ts'

/** A level of access; a higher mode includes the lower ones. */
export const AccessMode = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const
export type AccessMode = (typeof AccessMode)[keyof typeof AccessMode]
export type AccessName = keyof typeof AccessMode

const NAMES = ['none', 'read', 'write', 'admin', 'owner'] as const

export const accessName = (mode: AccessMode): AccessName => NAMES[mode]
export const asAccessMode = (value: number): AccessMode => Math.min(4, Math.max(0, Math.trunc(value))) as AccessMode

/** The mode of a name that a client sent; undefined for an unknown name. */
export function parseAccessName(name: string): AccessMode | undefined {
  const index = (NAMES as readonly string[]).indexOf(name)
  return index < 0 ? undefined : (index as AccessMode)
}

/** Parts of a repository that are switched on and granted one by one (behaviour/auth-and-access#permission-model). */
export const UNITS = [
  'repo.code',
  'repo.issues',
  'repo.ext_issues',
  'repo.pulls',
  'repo.releases',
  'repo.wiki',
  'repo.ext_wiki',
  'repo.projects',
  'repo.packages',
  'repo.actions',
] as const
export type Unit = (typeof UNITS)[number]
export const isUnit = (name: string): boolean => UNITS.some((unit) => unit === name)
export type UnitSet = number

const bits = new Map<Unit, number>(UNITS.map((unit, index) => [unit, 1 << index]))

export const unitBit = (unit: Unit): number => bits.get(unit)!
export const hasUnit = (set: UnitSet, unit: Unit): boolean => (set & unitBit(unit)) !== 0
export const unitSet = (units: readonly Unit[]): UnitSet => units.reduce((set, unit) => set | unitBit(unit), 0)
export const withUnit = (set: UnitSet, unit: Unit, on: boolean): UnitSet =>
  on ? set | unitBit(unit) : set & ~unitBit(unit)

/** The units of new repositories, by kind. */
export type DefaultUnits = Readonly<Record<'normal' | 'template' | 'fork' | 'mirror', UnitSet>>

/** Units by their names, without those that are switched off everywhere. Unknown names are ignored. */
export const namedUnits = (names: readonly string[], disabled: UnitSet = 0): UnitSet =>
  unitSet(UNITS.filter((unit) => names.includes(unit))) & ~disabled

const COMMON: readonly Unit[] = [
  'repo.code',
  'repo.issues',
  'repo.pulls',
  'repo.releases',
  'repo.wiki',
  'repo.projects',
  'repo.packages',
]

/** Units of new repositories unless the operator chooses others (behaviour/repositories#creating). */
export const DEFAULT_UNITS: DefaultUnits = {
  normal: unitSet([...COMMON, 'repo.actions']),
  template: unitSet(COMMON),
  fork: unitSet(['repo.code', 'repo.pulls']),
  mirror: unitSet(['repo.code', 'repo.issues', 'repo.releases', 'repo.wiki', 'repo.projects', 'repo.packages']),
}

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

/** The grants of a viewer for a repository and its owner; empty for most viewers. */
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

/**
 * The account that owns repositories until their import is complete: nobody sees them, administrators neither. Its row
 * is in every database.
 */
export const IMPORTER_ID = asId<UserId>(-3)

/** The access of a viewer from whom the repository is hidden. */
export const NO_ACCESS: RepoAccess = { mode: AccessMode.none, units: new Map() }

/** Whether grants can change the decision: they need not be loaded otherwise. */
export function needsGrants(viewer: Viewer, repo: RepoFacts): boolean {
  return (
    viewer.kind === 'user' && viewer.job === undefined && !viewer.account.isAdmin && viewer.account.id !== repo.owner.id
  )
}

/**
 * The permission model (behaviour/auth-and-access#permission-model), first hit wins. Its twin for lists is
 * db/stores/visibility.ts.
 */
export function decideRepoAccess(viewer: Viewer, repo: RepoFacts, grants: RepoGrants): RepoAccess {
  if (repo.owner.id === IMPORTER_ID) return NO_ACCESS
  if (viewer.kind === 'anonymous') {
    return repo.isPrivate || repo.owner.visibility !== 'public' ? NO_ACCESS : everywhere(repo, AccessMode.read)
  }
  if (viewer.job !== undefined) return jobAccess(viewer.job, repo)
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

/** The access of the owner. */
export const ownerAccess = (repo: RepoFacts): RepoAccess => everywhere(repo, AccessMode.owner)

/** The access of a deploy key to its repository: only code and wiki. */
export function deployAccess(repo: RepoFacts, isReadOnly: boolean): RepoAccess {
  const mode = isReadOnly ? AccessMode.read : AccessMode.write
  const units = (['repo.code', 'repo.wiki'] as const).filter((unit) => hasUnit(repo.units, unit))
  return { mode, units: new Map(units.map((unit) => [unit, mode])) }
}

/** The access of a workflow job: its own rights in its repository, and everywhere those of anonymous viewers. */
function jobAccess({ repoId, units }: JobRights, repo: RepoFacts): RepoAccess {
  const open = decideRepoAccess(ANONYMOUS, repo, NO_GRANTS)
  if (repoId !== repo.id) return open
  const own = UNITS.filter((unit) => hasUnit(repo.units, unit))
  return {
    mode: units.size > 0 ? AccessMode.read : open.mode,
    units: new Map(own.map((unit) => [unit, higher(AccessMode[units.get(unit) ?? 'none'], unitMode(open, unit))])),
  }
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
