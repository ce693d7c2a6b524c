/** Files that hang on releases, issues and comments. */
export type { Attachment, AttachmentOwner } from '../../db/stores/attachment.store.ts'
export {
  createAttachments,
  removeAttachments,
  type AttachmentEdit,
  type AttachmentHold,
  type AttachmentPlace,
  type Attachments,
  type TypeRefusal,
  type Upload,
  type UploadPolicy,
} from './attachments.service.ts'
export { parseAllowedTypes, type UploadRules } from '../../policy/upload-rules.ts'
