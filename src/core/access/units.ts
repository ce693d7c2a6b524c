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

/** Which units new repositories get, by what they are. */
export type DefaultUnits = Readonly<Record<'normal' | 'template' | 'fork' | 'mirror', UnitSet>>

/** Units by their names, without those that are switched off everywhere. Names that are none do not count. */
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
