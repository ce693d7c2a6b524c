/** Large files beside the repositories (Git LFS): their bytes, which repository has which, locks on paths, tokens for SSH clients. */
export { createLfsLocks, type LfsLocks } from './locks.ts'
export { createLfsObjects, type BatchEntry, type LfsObjects } from './objects.ts'
export { createLfsTokens, type LfsGrant, type LfsTokens } from './tokens.ts'
export type { LfsLock, LfsObject } from '../../db/stores/lfs.store.ts'
