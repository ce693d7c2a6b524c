import type { Core } from '../../../../core/module.ts'
import type { UnitSet } from '../../../../core/access/units.ts'

interface ChangeRules {
  /** Only site administrators make repositories public. */
  readonly forcePrivate: boolean
  /** Units that cannot be switched on. */
  readonly disabledUnits: UnitSet
  /** Shortest time between two syncs of a mirror, in milliseconds. */
  readonly minMirrorInterval: number
}

export interface ChangeRepoDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events' | 'jobs'> {
  readonly rules: ChangeRules
  rootUrl(): string
}
