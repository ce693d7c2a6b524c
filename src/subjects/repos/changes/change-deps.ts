import type { UnitSet } from '../../../access/units.ts'
import type { Database } from '../../../db/database.ts'
import type { Events } from '../../../events/index.ts'
import type { Git } from '../../../git/index.ts'
import type { Jobs } from '../../../jobs/index.ts'
import type { Clock } from '../../../platform/clock.ts'

interface ChangeRules {
  /** Only site administrators make repositories public. */
  readonly forcePrivate: boolean
  /** Units that cannot be switched on. */
  readonly disabledUnits: UnitSet
  /** Shortest time between two syncs of a mirror, in milliseconds. */
  readonly minMirrorInterval: number
}

export interface ChangeRepoDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly events: Events
  readonly jobs: Jobs
  readonly rules: ChangeRules
  rootUrl(): string
}
