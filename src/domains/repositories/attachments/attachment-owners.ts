import type { Viewer } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { createPort, type Port } from '../../../core/platform/hook.ts'
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

/** Later modules register the checks of their kind of owner. */
export type AttachmentOwners = Readonly<Record<AttachmentOwner, Port<AttachmentOwnerAccess>>>

export const createAttachmentOwners = (): AttachmentOwners => ({
  release: createPort('attachments of releases'),
  issue: createPort('attachments of issues'),
  comment: createPort('attachments of comments'),
})

/** Owner ids of a file; 0 means none. A file of a comment has the id of the issue too. */
type OwnerIds = Readonly<Record<`${AttachmentOwner}Id`, number>>

/** Returns undefined for a file without an owner. */
export function ownerOf(ids: OwnerIds): { readonly owner: AttachmentOwner; readonly id: number } | undefined {
  const owner = (['release', 'comment', 'issue'] as const).find((kind) => ids[`${kind}Id`] !== 0)
  return owner && { owner, id: ids[`${owner}Id`] }
}
