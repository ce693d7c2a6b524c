import type { Database } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import type { Clock } from '../../platform/clock.ts'

interface OrgRules {
  /** Memberships are public by default. */
  readonly membersArePublic: boolean
  readonly onlyAdminsCreate: boolean
}

export interface OrgDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly rules: OrgRules
}
