import { IMPORTER_ID } from '../../../../core/access/repo-access.ts'
import { systemActor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Events } from '../../../../core/events/index.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { lockRepoToDelete } from '../deletion/deletion.store.ts'
import { deleteRedirect, deleteRepo, findRepoById, insertRepo, updateRepo } from '../repo.store.ts'

type HiddenRepo = Omit<Parameters<typeof insertRepo>[1], 'is_private' | 'lower_name' | 'name' | 'owner_id'>

/**
 * Inserts a repository that nobody sees, administrators neither, until `revealRepo` (core/access/repo-access.ts,
 * IMPORTER_ID).
 */
export const insertHiddenRepo = (tx: Tx, values: HiddenRepo): Promise<RepoId> =>
  insertRepo(tx, {
    ...values,
    owner_id: IMPORTER_ID,
    name: values.storage,
    lower_name: values.storage,
    is_private: 1,
  })

interface Revealed {
  readonly ownerId: UserId
  readonly name: string
  readonly isPrivate: boolean
  readonly watchersCount: number
  readonly at: number
}

/** Transfers a hidden repository to its owner. Throws the unique violation of a name that another repository has. */
export async function revealRepo(
  tx: Tx,
  id: RepoId,
  { ownerId, name, isPrivate, watchersCount, at }: Revealed,
): Promise<void> {
  const lowerName = name.toLowerCase()
  await updateRepo(tx, id, {
    owner_id: ownerId,
    name,
    lower_name: lowerName,
    is_private: isPrivate ? 1 : 0,
    watchers_count: watchersCount,
    created_at: at,
    updated_at: at,
  })
  await deleteRedirect(tx, ownerId, lowerName)
}

/**
 * Deletes the rows of a hidden repository; the caller deletes its files. Nobody is notified. Does nothing if it is no
 * longer hidden.
 */
export async function deleteHiddenRepo(tx: Tx, events: Events, { id, at }: { id: RepoId; at: number }): Promise<void> {
  await lockRepoToDelete(tx, id)
  if ((await findRepoById(tx, id))?.ownerId !== IMPORTER_ID) return
  await events.append(tx, 'repo.deleting', { actor: systemActor, repoId: id, at }, { repo_id: id })
  await deleteRepo(tx, id)
}
