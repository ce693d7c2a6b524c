import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Adoption, createAdoption } from '../subjects/admin/adoption.ts'
import { type Badges, createBadges } from '../subjects/admin/badges.service.ts'
import { type AccountRemoval, createAccountRemoval } from '../subjects/admin/remove-account.ts'
import { createFediverse, type Fediverse } from '../subjects/instance/fediverse.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import { repoRules } from './repo-rules.ts'

export interface AdminServices {
  readonly accountRemoval: AccountRemoval
  readonly adoption: Adoption
  readonly badges: Badges
  readonly fediverse: Fediverse
}

interface AdminServiceDeps {
  readonly config: Config
  readonly database: Database
  readonly git: Git
  readonly quota: DiskQuota
  readonly clock: Clock
  rootUrl(): string
}

/** What only site administrators do, and what the server tells of itself. */
export function createAdminServices({ config, git, quota, rootUrl, ...core }: AdminServiceDeps): AdminServices {
  const { enabled, share_user_statistics: sharesStatistics } = config.federation
  return {
    accountRemoval: createAccountRemoval(core),
    adoption: createAdoption({ ...core, git, quota, rules: repoRules(config) }),
    badges: createBadges(core),
    fediverse: createFediverse({
      ...core,
      settings: { enabled, sharesStatistics, host: () => new URL(rootUrl()).host },
    }),
  }
}
