import { join } from 'node:path'
import { createFileBlobs, type BlobStore } from '../blobs/index.ts'
import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createAttachments, parseAllowedTypes, type Attachments, type UploadRules } from '../domain/attachments/index.ts'
import type { Code } from '../domain/code/index.ts'
import type { DiskQuota } from '../domain/quota/index.ts'
import { createReleases, createReleaseTags, type Releases } from '../domain/releases/index.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'

const MIB = 1024 * 1024

/** What may be uploaded where. */
export interface UploadRuleSet {
  readonly releases: UploadRules
  readonly issues: UploadRules
}

export interface ReleaseServices {
  readonly attachments: Attachments
  readonly attachmentBlobs: BlobStore
  readonly releases: Releases
  readonly uploadRules: UploadRuleSet
}

interface ReleaseServiceDeps {
  readonly config: Config
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly code: Code
  readonly quota: DiskQuota
  readonly dataDir: string
  /** This process alone has the data directory. */
  readonly isServer: boolean
}

/** Releases, and uploaded files wherever they hang. */
export async function createReleaseServices({ config, database, git, clock, code, quota, dataDir, isServer }: ReleaseServiceDeps): Promise<ReleaseServices> {
  const { attachment, release } = config
  const blobs = await createFileBlobs(join(dataDir, 'blobs', 'attachments'), { emptyUploads: isServer })
  return {
    attachments: createAttachments({ database, clock, blobs, quota }),
    attachmentBlobs: blobs,
    releases: createReleases({ database, clock, tags: createReleaseTags({ git, tags: code.tags }), quota }),
    uploadRules: {
      releases: { enabled: attachment.enabled, allowedTypes: parseAllowedTypes(release.allowed_types), maxBytes: release.file_max_size * MIB },
      issues: { enabled: attachment.enabled, allowedTypes: parseAllowedTypes(attachment.allowed_types), maxBytes: attachment.max_size * MIB },
    },
  }
}
