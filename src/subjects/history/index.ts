export type { CommitParts, CommitView, CommitViews } from './commit-views.service.ts'
export { Commit, CommitMeta, CommitUser, Note, PayloadCommit, PayloadCommitVerification } from './commit.model.ts'
export {
  commitTime,
  commitUtcTime,
  presentCommit,
  presentCommitUser,
  presentMeta,
  presentPayloadCommit,
  presentVerification,
} from './commit.present.ts'
export { type Commits, requireOid } from './commits.service.ts'
export { findForkOf } from './fork-network.store.ts'
export { findHeadRepo, requireHeadRepo } from './head-repo.ts'
export { pageHeaders } from './page-headers.ts'
