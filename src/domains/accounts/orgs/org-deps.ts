import type { Core } from '../../../core/module.ts'

interface OrgRules {
  /** Memberships are public by default. */
  readonly membersArePublic: boolean
  readonly onlyAdminsCreate: boolean
}

export interface OrgDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly rules: OrgRules
}
