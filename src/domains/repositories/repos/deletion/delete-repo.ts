import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { errors } from '../../../errors.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { userQueries } from '../../../accounts/index.ts'
import type { ChangeRepoDeps } from '../changes/edit-repo.ts'
import { detachForks, lockRepoToDelete, starsOnRepo } from './deletion.store.ts'
import type { RepoRecord } from '../repos.events.ts'
import { deleteRepo, findRepoById, type Repo } from '../repo.store.ts'

/**
 * Deletes a repository and everything in it; a job, enqueued in the same transaction, deletes its files. Throws
 * NotFound.
 */
export async function deleteRepoWithFiles(deps: ChangeRepoDeps, actor: Actor, { id }: Repo): Promise<void> {
  await deps.database.transaction((tx) => deleteRepoRows(tx, deps, actor, id))
}

type DeletionDeps = Pick<Core, 'events' | 'jobs'>

interface DeletionOrigin {
  readonly actor: Actor
  readonly at: number
}

/** Deletes the rows of a repository and enqueues the job that deletes its files. Throws NotFound. */
export async function deleteRepoRows(
  tx: Tx,
  deps: DeletionDeps & { readonly clock: Clock },
  actor: Actor,
  id: RepoId,
): Promise<void> {
  const origin = { actor, at: deps.clock.now() }
  await lockRepoToDelete(tx, id)
  const repo = await findRepoById(tx, id)
  if (repo === undefined) throw errors.repoNotFound()
  const { owner: _owner, ...record } = repo
  await recordRepoDeletion(tx, deps, origin, { ...repo, record })
  // NOTE: updates users before topics, in the same order as the deletion of an account with its repositories.
  await userQueries.subtractStars(tx, starsOnRepo(tx, id))
  await deps.events.append(tx, 'repo.deleting', { ...origin, repoId: id }, { repo_id: id })
  await detachForks(tx, id)
  await deleteRepo(tx, id)
}

interface DeletedRepo {
  readonly id: RepoId
  readonly name: string
  readonly ownerId: UserId
  readonly storage: string
  readonly record?: RepoRecord
}

/** Appends `repo.deleted` and enqueues the job that deletes the files. */
export async function recordRepoDeletion(
  tx: Tx,
  { events, jobs }: DeletionDeps,
  origin: DeletionOrigin,
  { id, name, ownerId, storage, record }: DeletedRepo,
): Promise<void> {
  const payload = { repo_id: id, name, owner_id: ownerId, storage, ...(record && { record }) }
  await events.append(tx, 'repo.deleted', { ...origin, repoId: id }, payload)
  await jobs.enqueue(tx, 'repo.remove', { storage }, { key: storage })
}
