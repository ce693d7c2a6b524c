export { announceNewRepo, chooseCreatorMode, type NewRepoFacts } from './creation/announce-new-repo.ts'
export { type CreateRepoDeps, newStorageKey, requireRoom, taken } from './creation/create-repo.ts'
export { insertNewRepo } from './creation/insert-new-repo.ts'
export { limitReached, requireUnrestricted } from './creation/owner-limits.ts'
export { requireRepoName } from './creation/repo-name.ts'
export { settleHead } from './creation/settle-head.ts'
export { announceRemoval } from './delete-repo.ts'
export { nameTaken } from './edit-repo.ts'
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
export { findMirror, insertMirror, type Mirror, updateMirror } from './mirror.store.ts'
export { deleteOwnedRepos, listOwnedRepos, lockOwnedRepos } from './owned-repo.store.ts'
export {
  countBranches,
  deleteBranches,
  insertPushes,
  listBranchRecords,
  type PushOrigin,
  upsertBranches,
} from './push.store.ts'
export { recordRepoMove } from './redirect.store.ts'
export { recountRepos, repoCounters } from './repo-counters.store.ts'
export { listUsedStorages } from './repo-removal.store.ts'
export type { RepoRules } from './repo-rules.ts'
export { parseRepoSettings } from './repo-settings.ts'
export { countRepos, listReposWithDeletedRefs, walkRepoIds } from './repo-walk.store.ts'
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
export { TEMPLATE_ITEMS, type TemplateCopier, type TemplateItem } from './template-copier.ts'
export type { RepoView } from './views.ts'
