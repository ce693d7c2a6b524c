import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Site } from '../platform/site.ts'
import { createDeployKeys, type DeployKeys } from '../subjects/collaborators/deploy-keys.service.ts'
import { generateRepo, type GenerateRepoFor } from '../subjects/forks/generate-repo.ts'
import { webhookCopier } from '../subjects/hooks/copy-hooks.ts'
import { labelCopier } from '../subjects/labels/copy-labels.ts'
import { createLanguages, type Languages } from '../subjects/languages/languages.service.ts'
import { branchRuleCopier } from '../subjects/protections/copy-rules.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import { createRepoFlags, type RepoFlags } from '../subjects/repos/flags/flags.service.ts'
import type { CommitSigner } from '../subjects/signing/signing.ts'
import { createTransfers, type Transfers } from '../subjects/transfers/transfers.service.ts'
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
  const generating = {
    ...core,
    git,
    rules,
    rootUrl: site.rootUrl,
    sshPrefix: site.sshPrefix,
    copiers: [branchRuleCopier(core.clock), labelCopier(core.clock), webhookCopier(core.clock)],
  }
  return {
    generateRepo: (viewer, template, input) => generateRepo(generating, viewer, template, input),
    deployKeys: createDeployKeys({ ...core, rules: { minRsaBits: config.ssh.minimum_rsa_key_size } }),
    languages: createLanguages({ ...core, git }),
    repoFlags: createRepoFlags(core),
    transfers: createTransfers({ ...core, rules }),
  }
}
