import type { Database } from '../../db/database.ts'
import type { Clock } from '../../platform/clock.ts'

export interface OrgRules {
  /** New members are shown to everybody. */
  readonly membersArePublic: boolean
  readonly onlyAdminsCreate: boolean
  /** New team members watch the team's repositories. */
  readonly autoWatch: boolean
}

export interface OrgDeps {
  readonly database: Database
  readonly clock: Clock
  readonly rules: OrgRules
}
