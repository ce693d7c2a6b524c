import { AccessMode } from '../../../../core/access/access-mode.ts'
import { unitMode } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { RepoInView } from '../lookup.ts'
import { findRepoById } from '../repo.store.ts'
import type { Writer } from '../writer.ts'
import { findDelegate } from './find-delegate.ts'
import { listMaintainedHeads } from './maintained-head.store.ts'

/**
 * The account by whose right a branch is written: the actor; where it does not write the repository, the poster of a
 * pull request from the branch who lets maintainers edit it (behaviour/git-data-and-transport#edits-by-maintainers). Undefined when there is neither.
 * Without a branch: of any branch.
 */
export async function findBranchWriter(
  read: Db,
  actor: SignedIn,
  { repo, access }: RepoInView,
  branch?: string,
): Promise<Writer | undefined> {
  if (unitMode(access, 'repo.code') >= AccessMode.write) return { viewer: actor, access }
  if (actor.deployKeyId !== undefined) return undefined
  for (const { baseRepoId, posterId } of await listMaintainedHeads(read, repo.id, branch)) {
    const base = await findRepoById(read, baseRepoId)
    const delegate = base && (await findDelegate(read, actor, { base, head: repo, posterId }))
    if (delegate !== undefined) return delegate
  }
  return undefined
}
