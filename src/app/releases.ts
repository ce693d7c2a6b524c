import { join } from 'node:path'
import { type BlobStore, createFileBlobs } from '../blobs/index.ts'
import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Git } from '../git/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Attachments, createAttachments } from '../subjects/attachments/attachments.service.ts'
import { parseAllowedTypes, type UploadRules } from '../subjects/attachments/upload-rules.policy.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import { createReleaseTags } from '../subjects/releases/release-tags.ts'
import { createReleases, type Releases } from '../subjects/releases/releases.service.ts'
import type { Code } from './code.service.ts'

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
export async function createReleaseServices({
  config,
  database,
  git,
  clock,
  code,
  quota,
  dataDir,
  isServer,
}: ReleaseServiceDeps): Promise<ReleaseServices> {
  const { attachment, release } = config
  const blobs = await createFileBlobs(join(dataDir, 'blobs', 'attachments'), { emptyUploads: isServer })
  return {
    attachments: createAttachments({ database, clock, blobs, quota }),
    attachmentBlobs: blobs,
    releases: createReleases({ database, clock, tags: createReleaseTags({ git, tags: code.tags }), quota }),
    uploadRules: {
      releases: {
        enabled: attachment.enabled,
        allowedTypes: parseAllowedTypes(release.allowed_types),
        maxBytes: release.file_max_size * MIB,
      },
      issues: {
        enabled: attachment.enabled,
        allowedTypes: parseAllowedTypes(attachment.allowed_types),
        maxBytes: attachment.max_size * MIB,
      },
    },
  }
}
