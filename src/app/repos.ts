import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import { parseDuration } from '../platform/duration.ts'
import type { Logger } from '../platform/logger.ts'
import { createForks, type Forks } from '../subjects/forks/forks.service.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import { createRepoChanges, type RepoChanges } from '../subjects/repos/repo-changes.service.ts'
import { createRepoFiles, type RepoFiles } from '../subjects/repos/repo-files.ts'
import { disabledUnits, repoRules } from './repo-rules.ts'

export interface RepoServices {
  readonly forks: Forks
  readonly repoChanges: RepoChanges
  readonly repoFiles: RepoFiles
}

interface RepoServiceDeps {
  readonly config: Config
  readonly database: Database
  readonly git: Git
  readonly quota: DiskQuota
  readonly clock: Clock
  readonly log: Logger
  rootUrl(): string
}

/** What is done to repositories and to their files. */
export function createRepoServices({ config, ...core }: RepoServiceDeps): RepoServices {
  const { mirror, repository } = config
  const minMirrorInterval = parseDuration(mirror.min_interval)
  if (minMirrorInterval === undefined) throw new Error(`mirror.min_interval: invalid duration "${mirror.min_interval}"`)
  return {
    forks: createForks({ ...core, rules: repoRules(config), beyondLimit: repository.allow_fork_without_maximum_limit }),
    repoChanges: createRepoChanges({
      ...core,
      rules: { forcePrivate: repository.force_private, disabledUnits: disabledUnits(config), minMirrorInterval },
    }),
    repoFiles: createRepoFiles(core),
  }
}
