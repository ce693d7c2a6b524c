import type { SignedIn } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { forbidden } from '../../platform/errors.ts'
import { loadMergeRights } from '../merges/index.ts'
import type { PullInView } from '../pulls/index.ts'
import { findLender, findWriter, type Repo, type Writer } from '../repos/index.ts'

/**
 * By whose right the head branch is written: the actor; where it does not write the head repository, the poster who
 * lends its right to those who may merge (behaviour/pull-requests#diff-commits-files-update). Throws Forbidden.
 */
export async function findPusher(
  read: Db,
  actor: SignedIn,
  { target, head }: { readonly target: PullInView; readonly head: Repo },
): Promise<Writer> {
  const own = await findWriter(read, actor, head)
  if (own !== undefined) return own
  const mayBorrow = target.pull.allowsMaintainerEdit && (await loadMergeRights(read, actor, target)).mayMerge
  const { repo: base, issue } = target
  const lender = mayBorrow ? await findLender(read, actor, { base, head, posterId: issue.posterId }) : undefined
  if (lender === undefined) throw forbidden('user should have a permission to write to the head branch')
  return lender
}
