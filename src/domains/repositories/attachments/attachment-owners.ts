import type { Viewer } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { AttachmentOwner } from './attachment.store.ts'

/** Checks of the releases, issues or comments that attachments belong to. */
export interface AttachmentOwnerAccess {
  /** Throws NotFound unless the viewer, who may see the repository, may see the owner. */
  requireVisible(viewer: Viewer, target: RepoInView, ownerId: number): Promise<void>
  /** Throws NotFound if the owner was deleted. Runs in the transaction that inserts a file. */
  requireExisting(tx: Tx, repoId: RepoId, ownerId: number): Promise<void>
}

export type AttachmentOwners = ReturnType<typeof createAttachmentOwners>

/** Port for later modules whose resources have attachments. */
export function createAttachmentOwners() {
  const registered = new Map<AttachmentOwner, AttachmentOwnerAccess>()
  return {
    /** Each kind of owner is registered once, while the server is composed. */
    registerOwner(owner: AttachmentOwner, access: AttachmentOwnerAccess): void {
      if (registered.has(owner)) throw new Error(`attachments of the kind ${owner} are registered twice`)
      registered.set(owner, access)
    },
    /** Undefined when no module has registered the kind. */
    accessOf: (owner: AttachmentOwner): AttachmentOwnerAccess | undefined => registered.get(owner),
  }
}

/** Owner ids of a file; 0 means none. A file of a comment has the id of the issue too. */
type OwnerIds = Readonly<Record<`${AttachmentOwner}Id`, number>>

/** Returns undefined for a file without an owner. */
export function ownerOf(ids: OwnerIds): { readonly owner: AttachmentOwner; readonly id: number } | undefined {
  const owner = (['release', 'comment', 'issue'] as const).find((kind) => ids[`${kind}Id`] !== 0)
  return owner && { owner, id: ids[`${owner}Id`] }
}
