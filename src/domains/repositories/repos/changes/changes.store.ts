import type { Tx } from '../../../../core/db/database.ts'
import { type RepoId, type UserId, asId } from '../../../../core/platform/crypto/ids.ts'
import { flag } from '../../../../core/db/flag.ts'

interface RepoRename {
  /** The owner of both names. */
  readonly ownerId: UserId
  readonly from: string
  readonly to: string
}

/** Redirects the old name to the repository and deletes a redirect of the new name. */
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

/** Redirects the name under the old owner to the repository and deletes a redirect of the name under the new owner. */
export async function recordRepoMove(tx: Tx, id: RepoId, { from, to, name }: RepoMove): Promise<void> {
  const lowerName = name.toLowerCase()
  await tx.deleteFrom('repo_redirect').where('owner_id', 'in', [from, to]).where('lower_name', '=', lowerName).execute()
  await tx.insertInto('repo_redirect').values({ owner_id: from, lower_name: lowerName, repo_id: id }).execute()
}

/** Makes a repository and all its forks, and theirs, private or public. Returns which they are. */
export async function setForkVisibility(tx: Tx, id: RepoId, isPrivate: boolean): Promise<RepoId[]> {
  const family = new Set<number>()
  for (let level: number[] = [id]; level.length > 0;) {
    for (const member of level) family.add(member)
    const forks = await tx.selectFrom('repo').select('id').where('fork_id', 'in', level).execute()
    level = forks.map((fork) => fork.id).filter((fork) => !family.has(fork))
  }
  for (const member of family) {
    await tx
      .updateTable('repo')
      .set({ is_private: flag(isPrivate) })
      .where('id', '=', member)
      .execute()
  }
  return [...family].map((member) => asId(member))
}
