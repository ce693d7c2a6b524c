import { AccessMode } from '../../access/access-mode.ts'
import { type RepoAccess, unitMode } from '../../access/repo-access.ts'
import { type SignedIn, viewerOfAccount } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { forbidden } from '../../platform/errors.ts'
import { loadMergeRights } from '../merges/index.ts'
import type { PullInView } from '../pulls/index.ts'
import { loadRepoAccess, type Repo } from '../repos/index.ts'
import { findUserById } from '../users/index.ts'

/** The account by whose right the head branch is written. */
export interface Pusher {
  readonly viewer: SignedIn
  /** To the repository of the head branch. */
  readonly access: RepoAccess
}

/**
 * The actor; where it does not write the head repository, the poster if it lets those edit who may merge
 * (behaviour/pull-requests#diff-commits-files-update). Throws Forbidden.
 */
export async function findPusher(
  read: Db,
  actor: SignedIn,
  { target, head }: { readonly target: PullInView; readonly head: Repo },
): Promise<Pusher> {
  const own = await writerOf(read, actor, head)
  if (own !== undefined) return own
  const inherits = target.pull.allowsMaintainerEdit && (await loadMergeRights(read, actor, target)).mayMerge
  const poster = inherits ? await findUserById(read, target.issue.posterId) : undefined
  const inherited = poster && (await writerOf(read, viewerOfAccount(poster), head))
  if (inherited === undefined) throw forbidden('user should have a permission to write to the head branch')
  return inherited
}

async function writerOf(read: Db, viewer: SignedIn, head: Repo): Promise<Pusher | undefined> {
  const access = await loadRepoAccess(read, viewer, head)
  return unitMode(access, 'repo.code') >= AccessMode.write ? { viewer, access } : undefined
}
