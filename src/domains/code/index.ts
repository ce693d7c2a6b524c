export {
  forkQueries,
  languageQueries,
  lfsQueries,
  pushQueries,
  releaseQueries,
  statusQueries,
  protectionImports,
  protectionQueries,
} from './code.queries.ts'
export { yaml } from './contents/templates/yaml.ts'
export { fromRefusal } from './contents/write/file-writer.service.ts'
export { Commit, PayloadCommit } from './history/commit.model.ts'
export { commitPresenters } from './history/commit.present.ts'
export type { CommitParts, CommitView } from './history/history.service.ts'
export { pageHeaders } from './history/page-headers.ts'
export { lfsServerOf } from './lfs/client/client-requests.ts'
export { createLfsClient } from './lfs/client/client.ts'
export { type LfsTransfers, createLfsTransfers } from './lfs/objects/lfs-transfers.ts'
export { lfsPointers } from './lfs/objects/pointer.ts'
export type { BranchRule } from './protections/branches/branch-rules.policy.ts'
export { type CombinedState, checkRules } from './protections/protections.policy.ts'
export { pushRules } from './protections/push-rules.policy.ts'
export type { RecordedPush } from './pushes/post-receive.ts'
export type { AgitProposals, PreparedProposal, Proposal } from './pushes/push-proposals.service.ts'
export { PushRefusedError } from './pushes/pushes.service.ts'
export type { RefChange } from './pushes/record-push.ts'
export { Branch as BranchModel } from './refs/refs.model.ts'
export { presentBranch } from './refs/refs.present.ts'
export { presentRelease } from './releases/release.present.ts'
export { releaseOf } from './releases/releases.events.ts'
export { cutTitle } from './releases/releases.service.ts'
export type { ReleaseView } from './releases/views.ts'
export { presentStatus } from './statuses/commit-status.present.ts'
export { wikiMode } from './wiki/wiki-access.policy.ts'
