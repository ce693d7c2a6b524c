import { admitCaller, reachesRepo } from '../../../../core/access/admit.ts'
import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { userQueries } from '../../../accounts/index.ts'
import { type Repo, findRepoById } from '../repo.store.ts'
import { findWriter, type Writer, type RepoInView } from '../lookup.ts'
import { AccessMode, unitMode } from '../../../../core/access/repo-access.ts'
import { listMaintainedHeads } from './maintained-head.store.ts'

/** An open pull request whose author allows edits by maintainers of the head branch. */
interface Maintained {
  readonly base: Repo
  readonly head: Repo
  readonly posterId: UserId
}

/**
 * Finds the author whose access allows the actor to write the head branch: the actor writes the base repository, its
 * credentials reach both repositories, and the author may use the server and writes the head repository
 * (behaviour/git-data-and-transport#edits-by-maintainers). Undefined unless all of these conditions hold.
 */
export async function findDelegate(
  read: Db,
  actor: SignedIn,
  { base, head, posterId }: Maintained,
): Promise<Writer | undefined> {
  if (actor.deployKeyId !== undefined || !reachesRepo(actor, base) || !reachesRepo(actor, head)) return undefined
  if ((await findWriter(read, actor, base)) === undefined) return undefined
  const poster = await userQueries.findById(read, posterId)
  const delegate = poster && viewerOfAccount(poster)
  return delegate && admitCaller(delegate, {}).kind === 'allowed' ? findWriter(read, delegate, head) : undefined
}

/**
 * Finds the account whose access allows the actor to write a branch: the actor itself, otherwise the author of a pull
 * request from the branch who allows edits by maintainers (behaviour/git-data-and-transport#edits-by-maintainers).
 * Undefined if there is neither. Without a branch, any branch matches.
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
