import type { SignedIn } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import type { PullInView } from '../../pulls/index.ts'
import { findLender, findWriter, type Repo, type Writer } from '../../repos/index.ts'
import { loadMergeRights } from '../rules/load-merge-facts.ts'

/**
 * By whose right the head branch of a pull request is written: the actor's; where the actor does not write the head
 * repository, the poster's who lends it to those who may merge (behaviour/pull-requests#diff-commits-files-update).
 * Undefined without such a right. The rules of the branch are checked when it moves.
 */
export async function findPusher(
  read: Db,
  actor: SignedIn,
  { target, head }: { readonly target: PullInView; readonly head: Repo },
): Promise<Writer | undefined> {
  const own = await findWriter(read, actor, head)
  if (own !== undefined) return own
  if (!target.pull.allowsMaintainerEdit || !(await loadMergeRights(read, actor, target)).mayMerge) return undefined
  return findLender(read, actor, { base: target.repo, head, posterId: target.issue.posterId })
}
