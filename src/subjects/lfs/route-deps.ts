import type { LfsAdmitDeps } from './admit.ts'
import type { LfsLocks } from './lfs-locks.service.ts'
import type { LfsObjects } from './lfs-objects.service.ts'

export interface LfsRouteDeps extends LfsAdmitDeps {
  readonly objects: LfsObjects
  readonly locks: LfsLocks
  readonly maxBatchSize: number
  readonly locksPerPage: number
  rootUrl(): string
}
