import {
  insertAttachment,
  listAttachmentsByIds,
  listAttachmentsOf,
  listCommentAttachments,
  moveAttachments,
} from './attachments/attachment.store.ts'
import { upsertCollaboration } from './collaborators/collaboration.store.ts'
import { findNamedAccount, mayName } from './collaborators/named-account.ts'
import {
  setDefaultBranch,
  setGitSize,
  setLfsSize,
  setLicenses,
  setPrimaryLanguage,
  setRepoArchived,
  setRepoDescription,
  setRepoCreatedAt,
  setRepoParent,
  setWikiTip,
} from './repos/changes/changes.store.ts'
import { syncHead } from './repos/changes/edit-repo.ts'
import {
  newStorageKey,
  repoLimitProblem,
  repoNameConflict,
  requireBelowLimit,
  requireCapacity,
  requireRepoName,
  requireUnrestricted,
} from './repos/creation/create-repo.ts'
import { deleteHiddenRepo, insertHiddenRepo, revealRepo } from './repos/creation/hidden-repo.ts'
import { decideCreatorMode, insertNewRepo, recordRepoCreation } from './repos/creation/insert-new-repo.ts'
import { recordRepoDeletion } from './repos/deletion/delete-repo.ts'
import { deleteOwnedRepos, listOwnedRepos, listUsedStorages, lockOwnedRepos } from './repos/deletion/deletion.store.ts'
import { inTeam } from './repos/lists/repo-list.store.ts'
import {
  findRepoByAnyName,
  findWriter,
  getCreatedRepo,
  getRepoInView,
  loadRepoAccess,
  loadRepoAccesses,
  renewAccess,
  requireVisible,
} from './repos/lookup.ts'
import { findDelegate } from './repos/maintainers/find-delegate.ts'
import { eachRepo } from './repos/records/each-repo.ts'
import { listBranchRecords, recordPush, upsertBranches } from './repos/records/push.store.ts'
import {
  countRepos,
  findMirror,
  insertMirror,
  listReposWithDeletedRefs,
  loadRepoNumbers,
  recordMirrorSync,
  recountRepos,
  repoCounters,
  setMirrorLfsPending,
  walkRepoIds,
} from './repos/records/records.store.ts'
import {
  addToRepoCounter,
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
import { deleteActivitiesOn, insertActivities, updateActivityOfComment } from './social/activities/activity.store.ts'
import { starCountersOfUsers } from './social/social.store.ts'
import { findWatchMode, watchNewRepo } from './social/watches/watches.store.ts'
import { recountTopics, replaceTopics, topicCounters } from './topics/topic.store.ts'

/** Reads and commands on repositories that run in the transaction of a caller in a later domain. */
export const repoQueries = {
  findById: findRepoById,
  findByName: findRepoByName,
  findByAnyName: findRepoByAnyName,
  listByIds: listReposByIds,
  listByNames: listReposByNames,
  listAmong: listReposAmong,
  inOrder: reposInOrder,
  inTeam,
  listWithDeletedRefs: listReposWithDeletedRefs,
  walkIds: walkRepoIds,
  forEach: eachRepo,
  toRepo,
  count: countRepos,
  loadNumbers: loadRepoNumbers,
  lock: lockRepo,
  addToCounter: addToRepoCounter,
  counters: repoCounters,
  recount: recountRepos,
  syncHead,
  setDefaultBranch,
  setDescription: setRepoDescription,
  archive: setRepoArchived,
  setParent: setRepoParent,
  setCreatedAt: setRepoCreatedAt,
  setGitSize,
  setLfsSize,
  setLicenses,
  setPrimaryLanguage,
  setWikiTip,
} as const

/** Loads the access of viewers and writers to repositories. */
export const accessQueries = {
  load: loadRepoAccess,
  loadAll: loadRepoAccesses,
  renew: renewAccess,
  getRepoInView,
  getCreatedRepo,
  requireVisible,
  findWriter,
  findDelegate,
} as const

/** The steps of the creation of a repository, for later domains that create one in another way. */
export const repoCreation = {
  requireName: requireRepoName,
  nameConflict: repoNameConflict,
  limitProblem: repoLimitProblem,
  requireBelowLimit,
  requireCapacity,
  requireUnrestricted,
  newStorageKey,
  decideCreatorMode,
  insert: insertRepo,
  insertNew: insertNewRepo,
  record: recordRepoCreation,
  insertHidden: insertHiddenRepo,
  reveal: revealRepo,
  deleteHidden: deleteHiddenRepo,
} as const

/** The steps of the deletion of all repositories of an owner. */
export const repoDeletion = {
  listOwned: listOwnedRepos,
  lockOwned: lockOwnedRepos,
  record: recordRepoDeletion,
  deleteOwned: deleteOwnedRepos,
  listUsedStorages,
} as const

/** Reads and commands on the mirrors of repositories that run in the transaction of a caller in a later domain. */
export const mirrorQueries = {
  find: findMirror,
  insert: insertMirror,
  recordSync: recordMirrorSync,
  setLfsPending: setMirrorLfsPending,
} as const

/** Reads and commands on rows of branches and pushes that run in the transaction of a caller in a later domain. */
export const branchQueries = {
  list: listBranchRecords,
  upsert: upsertBranches,
  recordPush,
} as const

/** Reads and commands on attachments that run in the transaction of a caller in a later domain. */
export const attachmentQueries = {
  listByIds: listAttachmentsByIds,
  listOf: listAttachmentsOf,
  listOfComments: listCommentAttachments,
  insert: insertAttachment,
  move: moveAttachments,
} as const

/** Reads and commands on collaborators that run in the transaction of a caller in a later domain. */
export const collaboratorQueries = {
  findNamedAccount,
  mayName,
  upsert: upsertCollaboration,
} as const

/** Reads and commands on the activity feed and on watches that run in the transaction of a caller in a later domain. */
export const socialQueries = {
  insertActivities,
  updateActivityOfComment,
  deleteActivitiesOn,
  findWatchMode,
  watchNewRepo,
  userCounters: starCountersOfUsers,
} as const

/** Reads and commands on topics that run in the transaction of a caller in a later domain. */
export const topicQueries = {
  replace: replaceTopics,
  counters: topicCounters,
  recount: recountTopics,
} as const
