import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createAccountRemoval, createAdoption, createBadges, type AccountRemoval, type Adoption, type Badges } from '../domain/admin/index.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import { repoRules } from './repo-rules.ts'

export interface AdminServices {
  readonly accountRemoval: AccountRemoval
  readonly adoption: Adoption
  readonly badges: Badges
}

/** What only site administrators do. */
export function createAdminServices({ config, git, ...core }: { readonly config: Config; readonly database: Database; readonly git: Git; readonly clock: Clock }): AdminServices {
  return { accountRemoval: createAccountRemoval(core), adoption: createAdoption({ ...core, git, rules: repoRules(config) }), badges: createBadges(core) }
}
