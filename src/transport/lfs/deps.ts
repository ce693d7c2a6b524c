import type { LfsLocks, LfsObjects } from '../../domain/lfs/index.ts'
import type { LfsAdmitDeps } from './admit.ts'

export interface LfsDoorDeps extends LfsAdmitDeps {
  readonly objects: LfsObjects
  readonly locks: LfsLocks
  readonly maxBatchSize: number
  readonly locksPerPage: number
  rootUrl(): string
}
