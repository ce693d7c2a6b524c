import { AccessMode, type Unit, UNITS } from '../../../../core/access/repo-access.ts'

export type UnitModes = ReadonlyMap<Unit, AccessMode>

/** The access of a team as clients send it. */
export interface TeamGrantInput {
  readonly permission?: string | undefined
  readonly units?: readonly string[] | undefined
  readonly unitsMap?: Readonly<Record<string, string>> | undefined
}

export interface TeamRights {
  /** admin and owner apply to every unit; none: `units` apply. */
  readonly mode: AccessMode
  readonly units: UnitModes
}

const LEVELS: Readonly<Record<string, AccessMode>> = {
  none: AccessMode.none,
  read: AccessMode.read,
  write: AccessMode.write,
  admin: AccessMode.admin,
}
export const isTeamLevel = (name: string): boolean => Object.hasOwn(LEVELS, name)
const level = (name: string): AccessMode | undefined => (isTeamLevel(name) ? LEVELS[name] : undefined)

/** The level presented for a team with levels by unit: the lowest level above none, ignoring external tools. */
export function lowestUnitMode(units: UnitModes): AccessMode {
  const modes = [...units]
    .filter(([unit, mode]) => mode > AccessMode.none && unit !== 'repo.ext_issues' && unit !== 'repo.ext_wiki')
    .map(([, mode]) => mode)
  return modes.length === 0 ? AccessMode.none : (Math.min(...modes) as AccessMode)
}

/**
 * Decides the rights from a request: admin for every unit, else the map, else the level for each of `units`, else the
 * level for the present units. Ignores unknown unit names. `bad-level`: the map contains a level other than none, read,
 * write and admin; `empty`: there is no unit (behaviour/orgs-webhooks-actions#teams).
 */
export function decideTeamRights(
  input: TeamGrantInput,
  present: TeamRights | undefined,
): TeamRights | 'empty' | 'bad-level' {
  if (input.permission === 'admin') return { mode: AccessMode.admin, units: new Map() }
  const units = chooseUnits(input, present)
  if (units === 'bad-level') return units
  return units.size === 0 ? 'empty' : { mode: AccessMode.none, units }
}

function chooseUnits(
  { permission, units, unitsMap }: TeamGrantInput,
  present: TeamRights | undefined,
): UnitModes | 'bad-level' {
  if (unitsMap !== undefined && Object.keys(unitsMap).length > 0) return readMap(unitsMap)
  const before = present && presentedMode(present)
  const mode = permission
    ? simpleLevel(permission)
    : (Math.min(before ?? AccessMode.none, AccessMode.admin) as AccessMode)
  const named =
    units !== undefined && units.length > 0
      ? UNITS.filter((unit) => units.includes(unit))
      : present === undefined
        ? []
        : unitsOf(present)
  return new Map(named.map((unit) => [unit, mode]))
}

function readMap(unitsMap: Readonly<Record<string, string>>): UnitModes | 'bad-level' {
  const units = new Map<Unit, AccessMode>()
  for (const unit of UNITS) {
    if (!Object.hasOwn(unitsMap, unit)) continue
    const mode = level(unitsMap[unit]!)
    if (mode === undefined) return 'bad-level'
    units.set(unit, mode)
  }
  return units
}

const simpleLevel = (permission: string): AccessMode =>
  permission === 'read' || permission === 'write' ? AccessMode[permission] : AccessMode.none
const presentedMode = (rights: TeamRights): AccessMode =>
  rights.mode >= AccessMode.admin ? rights.mode : lowestUnitMode(rights.units)
const unitsOf = (rights: TeamRights): readonly Unit[] =>
  rights.mode >= AccessMode.admin ? UNITS : [...rights.units.keys()]
