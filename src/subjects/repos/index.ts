export { announceNewRepo, chooseCreatorMode, type NewRepoFacts } from './creation/announce-new-repo.ts'
export { type CreateRepoDeps, newStorageKey, requireRoom, taken } from './creation/create-repo.ts'
export { insertNewRepo } from './creation/insert-new-repo.ts'
export { limitReached, requireUnrestricted } from './creation/owner-limits.ts'
export { requireRepoName } from './creation/repo-name.ts'
export { settleHead } from './changes/sync-head.ts'
export { announceRemoval } from './deletion/delete-repo.ts'
export { nameTaken } from './changes/edit-repo.ts'
export { eachRepo } from './each-repo.ts'
export { ofTeam } from './lists/repo-list.store.ts'
export { BY_ID } from './lists/repo-order.ts'
export {
  findRepoByAnyName,
  getRepoInView,
  isPublicRepo,
  loadRepoAccess,
  loadRepoAccesses,
  type RepoInView,
} from './lookup.ts'
export { findMirror, insertMirror, type Mirror, updateMirror } from './records/mirror.store.ts'
export { deleteOwnedRepos, listOwnedRepos, lockOwnedRepos } from './deletion/owned-repo.store.ts'
export {
  countBranches,
  deleteBranches,
  insertPushes,
  listBranchRecords,
  type PushOrigin,
  upsertBranches,
} from './records/push.store.ts'
export { recordRepoMove } from './changes/redirect.store.ts'
export { recountRepos, repoCounters } from './records/repo-counters.store.ts'
export { listUsedStorages } from './deletion/repo-deletion.store.ts'
export type { RepoRules } from './repo-rules.ts'
export { parseRepoSettings } from './repo-settings.ts'
export { countRepos, listReposWithDeletedRefs, walkRepoIds } from './records/repo-walk.store.ts'
export type { RepoGuard } from './repo.guards.ts'
export { presentRepo } from './repo.present.ts'
export {
  addToRepoCounter,
  findRepoById,
  findRepoByName,
  insertRepo,
  listReposByIds,
  lockRepo,
  type Repo,
  reposInOrder,
  toRepo,
  updateRepo,
  withOwners,
} from './repo.store.ts'
export type { Repos } from './repos.service.ts'
export { Repository } from './repository.model.ts'
export { TEMPLATE_ITEMS, type TemplateCopier, type TemplateItem } from './creation/template-copier.ts'
export type { RepoView } from './views.ts'
