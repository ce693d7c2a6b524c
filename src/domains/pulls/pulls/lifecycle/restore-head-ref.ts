import { pullHeadRef } from '../pull.policy.ts'
import { findPull } from '../records/pull.store.ts'
import type { LifecycleDeps, PullPlace } from './pull-change.ts'

/**
 * Points `refs/pull/{number}/head` to the head that the row has, and deletes it when the pull request was deleted.
 * False when the repository lacks that head. Throws RefConflictError when the ref moves at the same time.
 */
export async function restoreHeadRef(
  { database, git }: Pick<LifecycleDeps, 'database' | 'git'>,
  { id, repo, number }: PullPlace,
): Promise<boolean> {
  const opened = git.open(repo)
  const ref = pullHeadRef(number)
  const old = (await opened.refs.snapshot()).get(ref)?.oid ?? opened.zeroOid
  const wanted = (await findPull(database.read, id))?.headOid ?? opened.zeroOid
  if (old === wanted) return true
  if (wanted !== opened.zeroOid && (await opened.objects.findInfo(wanted)) === undefined) return false
  await opened.refs.update([{ ref, old, new: wanted }])
  return true
}
