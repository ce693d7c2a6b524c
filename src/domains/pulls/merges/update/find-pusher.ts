import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { type Repo, type Writer, findLender, findWriter } from '../../../repositories/index.ts'
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
