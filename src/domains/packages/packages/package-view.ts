import type { RepoView } from '../../repositories/index.ts'
import type { User } from '../../accounts/index.ts'
import type { PackageVersion } from './package.store.ts'

/** A version with all data of its model, for one viewer. */
export interface PackageView {
  readonly version: PackageVersion
  readonly owner: User
  /** Undefined when the account was deleted. */
  readonly creator: User | undefined
  /** Undefined without a link, and when the viewer may not see the repository. */
  readonly repo: RepoView | undefined
}
