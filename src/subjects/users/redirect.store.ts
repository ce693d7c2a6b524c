import type { Tx } from '../../db/database.ts'
import type { RepoId, UserId } from '../../platform/ids.ts'

/** Old names of users and organizations keep leading to them; a name that is in use again leads nowhere else. */
export async function recordOwnerRename(
  tx: Tx,
  id: UserId,
  names: { readonly from: string; readonly to: string },
): Promise<void> {
  const from = names.from.toLowerCase()
  const to = names.to.toLowerCase()
  await tx.deleteFrom('user_redirect').where('lower_name', 'in', [from, to]).execute()
  if (from !== to) await tx.insertInto('user_redirect').values({ lower_name: from, user_id: id }).execute()
}

interface RepoRename {
  /** Whose old name leads to the repository. */
  readonly ownerId: UserId
  readonly from: string
  readonly to: string
}

/** The old name leads to the repository; the new one, now in use, leads nowhere else. */
export async function recordRepoRename(tx: Tx, id: RepoId, { ownerId, from, to }: RepoRename): Promise<void> {
  const [old, next] = [from.toLowerCase(), to.toLowerCase()]
  await tx.deleteFrom('repo_redirect').where('owner_id', '=', ownerId).where('lower_name', 'in', [old, next]).execute()
  if (old !== next)
    await tx.insertInto('repo_redirect').values({ owner_id: ownerId, lower_name: old, repo_id: id }).execute()
}

interface RepoMove {
  readonly from: UserId
  readonly to: UserId
  readonly name: string
}

/**
 * The name leads from the old owner to the repository; with the new owner, where it is in use now, it leads nowhere
 * else.
 */
export async function recordRepoMove(tx: Tx, id: RepoId, { from, to, name }: RepoMove): Promise<void> {
  const lowerName = name.toLowerCase()
  await tx.deleteFrom('repo_redirect').where('owner_id', 'in', [from, to]).where('lower_name', '=', lowerName).execute()
  await tx.insertInto('repo_redirect').values({ owner_id: from, lower_name: lowerName, repo_id: id }).execute()
}
