import type { UnitSet } from '../../../../core/access/units.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { Events } from '../../../../core/events/index.ts'
import type { Git } from '../../../../core/git/index.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import type { Clock } from '../../../../core/platform/clock.ts'

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
