import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createLanguages, type Languages } from '../domain/code/index.ts'
import { webhookCopier } from '../domain/hooks/index.ts'
import { labelCopier } from '../domain/labels/index.ts'
import { branchRuleCopier } from '../domain/protections/index.ts'
import type { DiskQuota } from '../domain/quota/index.ts'
import { createDeployKeys, createRepoFlags, createTransfers, generateRepo, type DeployKeys, type GenerateRepoFor, type RepoFlags, type Transfers } from '../domain/repos/index.ts'
import type { CommitSigner } from '../domain/signing/index.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Site } from '../present/site.ts'
import { repoRules } from './repo-rules.ts'

export interface AroundServices {
  readonly deployKeys: DeployKeys
  readonly generateRepo: GenerateRepoFor
  readonly languages: Languages
  readonly repoFlags: RepoFlags
  readonly transfers: Transfers
}

interface AroundDeps {
  readonly config: Config
  readonly database: Database
  readonly git: Git
  readonly quota: DiskQuota
  readonly clock: Clock
  readonly log: Logger
  readonly signer: CommitSigner | undefined
  readonly site: Site
}

/** Who owns and opens a repository, and what administrators say of it. */
export function createAroundServices({ config, site, git, ...core }: AroundDeps): AroundServices {
  const rules = repoRules(config)
  const generating = { ...core, git, rules, rootUrl: site.rootUrl, sshPrefix: site.sshPrefix, copiers: [branchRuleCopier(core.clock), labelCopier(core.clock), webhookCopier(core.clock)] }
  return {
    generateRepo: (viewer, template, input) => generateRepo(generating, viewer, template, input),
    deployKeys: createDeployKeys({ ...core, rules: { minRsaBits: config.ssh.minimum_rsa_key_size } }),
    languages: createLanguages({ ...core, git }),
    repoFlags: createRepoFlags(core),
    transfers: createTransfers({ ...core, rules }),
  }
}
