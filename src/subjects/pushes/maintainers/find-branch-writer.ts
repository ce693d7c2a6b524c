import { isPublicRepo } from '../../../access/admit.ts'
import { AccessMode } from '../../../access/access-mode.ts'
import { unitMode } from '../../../access/repo-access.ts'
import { isPublicOnly, type SignedIn, viewerOfAccount } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import { findRepoById, findWriter, type Repo, type RepoInView, type Writer } from '../../repos/index.ts'
import { findUserById } from '../../users/index.ts'
import { listMaintainedHeads, type MaintainedHead } from './maintained-head.store.ts'

/**
 * By whose right a branch is written: the actor; where it does not write the repository, the poster of a pull request
 * from the branch that lets those edit it who write its base (behaviour/git-data-and-transport#edits-by-maintainers).
 * Undefined when there is neither. Without a branch: of any branch.
 */
export async function findBranchWriter(
  read: Db,
  actor: SignedIn,
  { repo, access }: RepoInView,
  branch?: string,
): Promise<Writer | undefined> {
  if (unitMode(access, 'repo.code') >= AccessMode.write) return { viewer: actor, access }
  if (actor.deployKeyId !== undefined) return undefined
  for (const head of await listMaintainedHeads(read, repo.id, branch)) {
    const poster = await posterOf(read, actor, repo, head)
    if (poster !== undefined) return poster
  }
  return undefined
}

async function posterOf(
  read: Db,
  actor: SignedIn,
  repo: Repo,
  { baseRepoId, posterId }: MaintainedHead,
): Promise<Writer | undefined> {
  const base = await findRepoById(read, baseRepoId)
  if (base === undefined || (isPublicOnly(actor) && !isPublicRepo(base))) return undefined
  if ((await findWriter(read, actor, base)) === undefined) return undefined
  const poster = await findUserById(read, posterId)
  return poster && findWriter(read, viewerOfAccount(poster), repo)
}
