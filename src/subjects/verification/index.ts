export { findUsersByEmails } from './commit-author.store.ts'
export {
  findCommitOid,
  findLooseOid,
  findReportedOid,
  findShortOid,
  findTarget,
  getTarget,
  hasBranches,
  requireTarget,
  ignoringMissing,
  type Target,
} from './target.ts'
export type { Verification } from './verification.ts'
export type { Verifier } from './verifier.service.ts'
