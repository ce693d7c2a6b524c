import type { LfsAdmitDeps } from './admit.ts'
import type { LfsLocks } from './locks/lfs-locks.service.ts'
import type { LfsObjects } from './objects/lfs-objects.service.ts'

export interface LfsRouteDeps extends LfsAdmitDeps {
  readonly objects: LfsObjects
  readonly locks: LfsLocks
  readonly maxBatchSize: number
  readonly locksPerPage: number
  /** Seconds for which addresses of the object store are valid; undefined where clients get none. */
  readonly redirectLifetime: number | undefined
  rootUrl(): string
}
