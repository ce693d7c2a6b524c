import { type SignedIn, viewerOfAccount } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { forbidden } from '../../platform/errors.ts'
import { loadMergeRights } from '../merges/index.ts'
import type { PullInView } from '../pulls/index.ts'
import { findWriter, type Repo, type Writer } from '../repos/index.ts'
import { findUserById } from '../users/index.ts'

/**
 * By whose right the head branch is written: the actor; where it does not write the head repository, the poster if it
 * lets those edit who may merge (behaviour/pull-requests#diff-commits-files-update). Throws Forbidden.
 */
export async function findPusher(
  read: Db,
  actor: SignedIn,
  { target, head }: { readonly target: PullInView; readonly head: Repo },
): Promise<Writer> {
  const own = await findWriter(read, actor, head)
  if (own !== undefined) return own
  const inherits = target.pull.allowsMaintainerEdit && (await loadMergeRights(read, actor, target)).mayMerge
  const poster = inherits ? await findUserById(read, target.issue.posterId) : undefined
  const inherited = poster && (await findWriter(read, viewerOfAccount(poster), head))
  if (inherited === undefined) throw forbidden('user should have a permission to write to the head branch')
  return inherited
}
