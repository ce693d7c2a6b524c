import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Attachment } from './attachment.model.ts'
import type { Attachment as AttachmentEntity } from './attachment.store.ts'

/** `url` replaces the default URL `/attachments/<uuid>`. */
export function presentAttachment(attachment: AttachmentEntity, site: Site, url?: string): Attachment {
  const isExternal = attachment.externalUrl !== ''
  return {
    id: attachment.id,
    name: attachment.name,
    size: attachment.size,
    download_count: attachment.downloadCount,
    created_at: wireTime(attachment.createdAt),
    uuid: attachment.uuid,
    browser_download_url: isExternal
      ? attachment.externalUrl
      : (url ?? `${site.rootUrl()}/attachments/${attachment.uuid}`),
    type: isExternal ? 'external' : 'attachment',
  }
}
