import type { Database } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'

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
