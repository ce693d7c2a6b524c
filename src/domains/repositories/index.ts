export { Attachment as AttachmentModel, EditAttachmentOptions } from './attachments/attachment.model.ts'
export { presentAttachment } from './attachments/attachment.present.ts'
export type { Attachment } from './attachments/attachment.store.ts'
export type { AttachmentHold } from './attachments/attachments.service.ts'
export { serveAttachment } from './attachments/serve-attachment.routes.ts'
export type { UploadRules } from './attachments/upload-rules.policy.ts'
export type { AttachmentOwnerAccess } from './attachments/uploads.ts'
export { lostAccessProjections } from './collaborators/collaborators.projection.ts'
export { markupFamily } from './markup/markup.operations.ts'
export { referencePatterns } from './markup/references/references.ts'
export type { KeyTarget } from './repo-access/repo-access.service.ts'
export { type CreateRepoDeps, TEMPLATE_ITEMS, type TemplateCopier } from './repos/creation/create-repo.ts'
export type { RepoInView, Writer, RepoView } from './repos/lookup.ts'
export { parseRepoSettings } from './repos/repo-settings.ts'
export { type RepoGuard, unreadableUnit } from './repos/repo.guards.ts'
export { presentRepo } from './repos/repo.present.ts'
export type { Repo } from './repos/repo.store.ts'
export { Repository } from './repos/repos.model.ts'
export {
  repoQueries,
  accessQueries,
  repoCreation,
  repoDeletion,
  mirrorQueries,
  branchQueries,
  attachmentQueries,
  collaboratorQueries,
  socialQueries,
  topicQueries,
} from './repositories.queries.ts'
export { type CommitSigner, gitWriter } from './signing/signing.ts'
export type { CommentLocation } from './social/activities/activities.service.ts'
export { WatchInfo } from './social/social.model.ts'
export { builtInTemplates } from './templates/templates.ts'
export { topicRules } from './topics/topics.policy.ts'
