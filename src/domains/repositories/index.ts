export { Attachment as AttachmentModel, EditAttachmentOptions } from './attachments/attachment.model.ts'
export { presentAttachment } from './attachments/attachment.present.ts'
export {
  type Attachment,
  insertAttachment,
  listAttachmentsOf,
  listCommentAttachments,
  moveAttachments,
} from './attachments/attachment.store.ts'
export type { AttachmentHold, Attachments, UploadPolicy } from './attachments/attachments.service.ts'
export { serveAttachment } from './attachments/serve-attachment.routes.ts'
export type { UploadRules } from './attachments/upload-rules.policy.ts'
export type { AttachmentOwnerAccess } from './attachments/uploads.ts'
export { upsertCollaboration } from './collaborators/collaboration.store.ts'
export { lostAccessProjections } from './collaborators/collaborators.projection.ts'
export { findNamedAccount, mayName } from './collaborators/named-account.ts'
export { markupFamily } from './markup/markup.operations.ts'
export type { Markup } from './markup/markup.service.ts'
export { FULL_REFERENCE, MENTION, SHORT_REFERENCE } from './markup/references/references.ts'
export type { KeyTarget, KeyTargets, WebAccess } from './repo-access/repo-access.service.ts'
export {
  setDefaultBranch,
  setGitSize,
  setLfsSize,
  setLicenses,
  setPrimaryLanguage,
  setRepoDescription,
  setWikiTip,
} from './repos/changes/changes.store.ts'
export { syncHead } from './repos/changes/edit-repo.ts'
export {
  type CreateRepoDeps,
  newStorageKey,
  repoLimitProblem,
  repoNameConflict,
  requireBelowLimit,
  requireCapacity,
  requireRepoName,
  requireUnrestricted,
  TEMPLATE_ITEMS,
  type TemplateCopier,
  type TemplateItem,
} from './repos/creation/create-repo.ts'
export {
  type RepoPlan,
  insertNewRepo,
  type NewRepoFacts,
  decideCreatorMode,
  recordRepoCreation,
} from './repos/creation/insert-new-repo.ts'
export { recordRepoDeletion } from './repos/deletion/delete-repo.ts'
export { deleteOwnedRepos, listOwnedRepos, lockOwnedRepos, listUsedStorages } from './repos/deletion/deletion.store.ts'
export { inTeam } from './repos/lists/repo-list.store.ts'
export {
  type RepoInView,
  findRepoByAnyName,
  getCreatedRepo,
  getRepoInView,
  loadRepoAccess,
  loadRepoAccesses,
  requireVisible,
  renewAccess,
  type Writer,
  findWriter,
  type RepoView,
} from './repos/lookup.ts'
export { findBranchWriter, findDelegate } from './repos/maintainers/find-delegate.ts'
export { eachRepo } from './repos/records/each-repo.ts'
export { type PushOrigin, listBranchRecords, recordPush, upsertBranches } from './repos/records/push.store.ts'
export {
  type Mirror,
  findMirror,
  insertMirror,
  recordMirrorSync,
  setMirrorLfsPending,
  recountRepos,
  repoCounters,
  countRepos,
  listReposWithDeletedRefs,
  loadRepoNumbers,
  walkRepoIds,
} from './repos/records/records.store.ts'
export type { RepoRules } from './repos/repo-rules.ts'
export { parseRepoSettings } from './repos/repo-settings.ts'
export { type RepoGuard, unreadableUnit } from './repos/repo.guards.ts'
export { presentRepo } from './repos/repo.present.ts'
export {
  type Repo,
  type RepoCounter,
  addToRepoCounter,
  countInRepo,
  findRepoById,
  findRepoByName,
  insertRepo,
  listReposAmong,
  listReposByIds,
  listReposByNames,
  lockRepo,
  reposInOrder,
  toRepo,
} from './repos/repo.store.ts'
export { Repository } from './repos/repos.model.ts'
export type { Repos } from './repos/repos.service.ts'
export { type CommitSigner, appendTrailers, writeCommit, writeTag } from './signing/signing.ts'
export type { CommentPlace } from './social/activities/activities.service.ts'
export { deleteActivitiesOn, insertActivities, updateActivityOfComment } from './social/activities/activity.store.ts'
export { WatchInfo } from './social/social.model.ts'
export { watchNewRepo, findWatchMode } from './social/watches/watches.store.ts'
export { labelsOfSet, licenseTemplates } from './templates/templates.ts'
export { recountTopics, topicCounters, replaceTopics } from './topics/topic.store.ts'
export { MAX_TOPICS, isTopic, normaliseTopics } from './topics/topics.policy.ts'
