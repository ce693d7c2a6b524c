import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createDeployKeys, createRepoFlags, createTransfers, type DeployKeys, type RepoFlags, type Transfers } from '../domain/repos/index.ts'
import type { Clock } from '../platform/clock.ts'
import { repoRules } from './repo-rules.ts'

export interface AroundServices {
  readonly deployKeys: DeployKeys
  readonly repoFlags: RepoFlags
  readonly transfers: Transfers
}

/** Who owns and opens a repository, and what administrators say of it. */
export function createAroundServices({ config, ...core }: { readonly config: Config; readonly database: Database; readonly clock: Clock }): AroundServices {
  return {
    deployKeys: createDeployKeys({ ...core, rules: { minRsaBits: config.ssh.minimum_rsa_key_size } }),
    repoFlags: createRepoFlags(core),
    transfers: createTransfers({ ...core, rules: repoRules(config) }),
  }
}
