export type { AttachmentOwnerAccess } from './attachment-owners.ts'
export { Attachment as AttachmentModel, EditAttachmentOptions } from './attachment.model.ts'
export { presentAttachment } from './attachment.present.ts'
export {
  type Attachment,
  insertAttachment,
  listAttachmentsOf,
  moveAttachments,
  listCommentAttachments,
} from './attachment.store.ts'
export type { AttachmentHold, Attachments, UploadPolicy } from './attachments.service.ts'
export { serveAttachment } from './serve-attachment.routes.ts'
export type { UploadRules } from './upload-rules.policy.ts'
