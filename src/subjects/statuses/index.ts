export { presentStatus } from './commit-status.present.ts'
export { findCommitStatus, listLatestStatuses } from './commit-status.store.ts'
