export { presentStatus } from './commit-status.present.ts'
export { findCommitStatus } from './commit-status.store.ts'
