import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import type { CommitSigner } from '../subjects/signing/signing.ts'
import { createWikis, type Wikis } from '../subjects/wiki/wikis.service.ts'

interface WikiParts {
  readonly config: Config
  readonly database: Database
  readonly git: Git
  readonly quota: DiskQuota
  readonly clock: Clock
  readonly log: Logger
  readonly signer: CommitSigner | undefined
}

export function createWikiServices({ config, ...core }: WikiParts): { readonly wikis: Wikis } {
  return {
    wikis: createWikis({
      ...core,
      noReplyDomain: config.service.no_reply_address,
      maxPageBytes: config.api.default_max_blob_size,
    }),
  }
}
