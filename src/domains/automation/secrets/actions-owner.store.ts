import type { Tx } from '../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import { lockRepo } from '../../repositories/index.ts'
import { lockUsers } from '../../accounts/index.ts'

/** Whose secrets and variables: those of a repository, or of the account, user or organization, that owns some. */
export type ActionsOwner = { readonly repoId: RepoId } | { readonly ownerId: UserId }

/** The columns of a table of secrets or variables that name the owner. */
interface OwnerColumns {
  readonly repo_id: number | null
  readonly owner_id: number | null
}

export const ownerColumns = (owner: ActionsOwner): OwnerColumns =>
  'repoId' in owner ? { repo_id: owner.repoId, owner_id: null } : { repo_id: null, owner_id: owner.ownerId }

/** Locks the row of the owner, so that names and numbers of its secrets and variables stay as they are read. */
export const lockOwner = (tx: Tx, owner: ActionsOwner): Promise<void> =>
  'repoId' in owner ? lockRepo(tx, owner.repoId) : lockUsers(tx, [owner.ownerId])
