import { type BlobStore, blobsCheck } from '../../../core/blobs/index.ts'
import type { Config } from '../../../core/config/index.ts'
import { defineModule } from '../../../core/module.ts'
import { listAttachmentUsesAfter, sumAttachments } from './attachment.store.ts'
import { attachmentTasks, createAttachmentJobs } from './attachments.jobs.ts'
import { registerAttachments } from './attachments.routes.ts'
import { type Attachments, createAttachments } from './attachments.service.ts'
import { parseAllowedTypes, type UploadRules } from './upload-rules.policy.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** Stored bytes of attachments. */
    readonly attachmentBlobs: BlobStore
    readonly attachments: Attachments
    /** Allowed types and sizes of uploads. */
    readonly uploadRules: { readonly issues: UploadRules; readonly releases: UploadRules }
  }
}

const MIB = 1024 * 1024

/** Uploaded files. Later modules register the kinds of resources that have files with `attachments.owners`. */
export const module = defineModule({
  name: 'attachments',
  needs: ['quota', 'quotaParts', 'repos', 'webAccess'],
  async create({ config, database, clock, jobs, blobs: stores }, { quota, quotaParts, repos, webAccess }) {
    const blobs = await stores.open('attachments')
    const attachments = createAttachments({ database, blobs, clock, jobs, quota })
    quotaParts.usage.register(sumAttachments)
    return {
      services: { attachmentBlobs: blobs, attachments, uploadRules: uploadRules(config) },
      jobs: createAttachmentJobs(attachments),
      tasks: attachmentTasks(jobs),
      subscriptions: {
        'repo.deleted': (tx) => jobs.enqueue(tx, 'attachments.sweep', {}, { key: 'all' }),
      },
      checks: [blobsCheck(database.read, blobs, { attachment: listAttachmentUsesAfter })],
      routes(http) {
        registerAttachments(http, { attachments, webAccess, repos })
      },
    }
  },
})

function uploadRules({ attachment, release }: Config): { issues: UploadRules; releases: UploadRules } {
  return {
    issues: {
      enabled: attachment.enabled,
      allowedTypes: parseAllowedTypes(attachment.allowed_types),
      maxBytes: attachment.max_size * MIB,
      maxFiles: attachment.max_files,
    },
    releases: {
      enabled: attachment.enabled,
      allowedTypes: parseAllowedTypes(release.allowed_types),
      maxBytes: release.file_max_size * MIB,
      maxFiles: Infinity,
    },
  }
}
