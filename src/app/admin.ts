import type { Database } from '../db/database.ts'
import { createAccountRemoval, createBadges, type AccountRemoval, type Badges } from '../domain/admin/index.ts'
import type { Clock } from '../platform/clock.ts'

export interface AdminServices {
  readonly accountRemoval: AccountRemoval
  readonly badges: Badges
}

/** What only site administrators do. */
export function createAdminServices(deps: { readonly database: Database; readonly clock: Clock }): AdminServices {
  return { accountRemoval: createAccountRemoval(deps), badges: createBadges(deps) }
}
