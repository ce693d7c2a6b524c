export type { CreateRepoDeps } from './creation/create-repo.ts'
export {
  newStorageKey,
  repoLimitProblem,
  repoNameConflict,
  requireBelowLimit,
  requireCapacity,
  requireRepoName,
  requireUnrestricted,
} from './creation/creation-rules.ts'
export { insertNewRepo, type RepoPlan } from './creation/insert-new-repo.ts'
export { decideCreatorMode, type NewRepoFacts, recordRepoCreation } from './creation/record-creation.ts'
export { syncHead } from './changes/sync-head.ts'
export { recordRepoDeletion } from './deletion/delete-repo.ts'
export { repoNameTaken } from './changes/edit-repo.ts'
export { inTeam } from './lists/repo-list.store.ts'
export { eachRepo } from './records/each-repo.ts'
export { BY_ID } from './lists/repo-order.ts'
export {
  findRepoByAnyName,
  getRepoInView,
  hiddenFrom,
  loadRepoAccess,
  loadRepoAccesses,
  type RepoInView,
  requireVisible,
  getCreatedRepo,
} from './lookup.ts'
export { findBranchWriter } from './maintainers/find-branch-writer.ts'
export { findLender } from './maintainers/find-lender.ts'
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
export { renewAccess } from './renew-access.ts'
export type { RepoRules } from './repo-rules.ts'
export { parseRepoSettings } from './repo-settings.ts'
export { countRepos, listReposWithDeletedRefs, loadRepoNumbers, walkRepoIds } from './records/repo-walk.store.ts'
export { type RepoGuard, unreadableUnit } from './repo.guards.ts'
export { findWriter, type Writer } from './writer.ts'
export { presentRepo } from './repo.present.ts'
export {
  addToRepoCounter,
  countInRepo,
  findRepoById,
  findRepoByName,
  insertRepo,
  listReposAmong,
  listReposByIds,
  listReposByNames,
  lockRepo,
  type Repo,
  type RepoCounter,
  reposInOrder,
  toRepo,
  updateRepo,
} from './repo.store.ts'
export type { Repos } from './repos.service.ts'
export { Repository } from './repository.model.ts'
export { TEMPLATE_ITEMS, type TemplateCopier, type TemplateItem } from './creation/template-copier.ts'
export type { RepoTexts } from './repo-texts.ts'
export type { RepoView } from './views.ts'
