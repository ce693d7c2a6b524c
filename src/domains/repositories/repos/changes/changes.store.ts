import type { Tx } from '../../../../core/db/database.ts'
import { type RepoId, type UserId, asId } from '../../../../core/platform/crypto/ids.ts'
import { flag } from '../../../../core/db/flag.ts'
import { addToRepoCounter, findRepoById, updateRepo } from '../repo.store.ts'
interface RepoRename {
  /** The owner of both names. */
  readonly ownerId: UserId
  readonly from: string
  readonly to: string
}

/** Renames a repository; the old name redirects to it. Fails if the owner has another repository with the new name. */
export async function setRepoName(tx: Tx, id: RepoId, { ownerId, from, to }: RepoRename): Promise<void> {
  const [old, next] = [from.toLowerCase(), to.toLowerCase()]
  await updateRepo(tx, id, { name: to, lower_name: next })
  await tx.deleteFrom('repo_redirect').where('owner_id', '=', ownerId).where('lower_name', 'in', [old, next]).execute()
  if (old !== next)
    await tx.insertInto('repo_redirect').values({ owner_id: ownerId, lower_name: old, repo_id: id }).execute()
}

interface RepoMove {
  readonly from: UserId
  readonly to: UserId
  readonly name: string
}

/** Transfers a repository to another owner; the name under the old owner redirects to it. */
export async function setRepoOwner(tx: Tx, id: RepoId, { from, to, name }: RepoMove): Promise<void> {
  const lowerName = name.toLowerCase()
  await updateRepo(tx, id, { owner_id: to })
  await tx.deleteFrom('repo_redirect').where('owner_id', 'in', [from, to]).where('lower_name', '=', lowerName).execute()
  await tx.insertInto('repo_redirect').values({ owner_id: from, lower_name: lowerName, repo_id: id }).execute()
}

/** Sets the visibility of a repository and all its direct and indirect forks. Returns their ids. */
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

export const setDefaultBranch = (tx: Tx, id: RepoId, branch: string): Promise<void> =>
  updateRepo(tx, id, { default_branch: branch })

interface RepoDescription {
  readonly website: string
  /** If absent, the description does not change. */
  readonly description?: string | undefined
}

export const setRepoArchived = (tx: Tx, id: RepoId, at: number): Promise<void> =>
  updateRepo(tx, id, { is_archived: 1, archived_at: at })

export const setRepoDescription = (tx: Tx, id: RepoId, { website, description }: RepoDescription): Promise<void> =>
  updateRepo(tx, id, { website, ...(description !== undefined && { description }) })

/** Records a repository as a fork of another one. */
export async function setRepoParent(
  tx: Tx,
  { id, parentId }: { readonly id: RepoId; readonly parentId: RepoId },
): Promise<void> {
  const forkId = (await findRepoById(tx, id))?.forkId
  if (forkId === parentId) return
  if (forkId !== undefined) await addToRepoCounter(tx, forkId, 'forks_count', -1)
  await addToRepoCounter(tx, parentId, 'forks_count', 1)
  await updateRepo(tx, id, { is_fork: 1, fork_id: parentId })
}

/** Sets the time of creation of a repository that was created on another server. */
export const setRepoCreatedAt = (tx: Tx, id: RepoId, at: number): Promise<void> =>
  updateRepo(tx, id, { created_at: at })

/** `avatar`: the hash of the image; empty for none. */
export const setRepoAvatar = (tx: Tx, id: RepoId, avatar: string): Promise<void> => updateRepo(tx, id, { avatar })

/** Sorted names. */
export const setRepoTopics = (tx: Tx, id: RepoId, topics: readonly string[]): Promise<void> =>
  updateRepo(tx, id, { topics: JSON.stringify(topics) })

export const setPrimaryLanguage = (tx: Tx, id: RepoId, language: string | undefined): Promise<void> =>
  updateRepo(tx, id, { primary_language: language ?? '' })

export const setLicenses = (tx: Tx, id: RepoId, licenses: readonly string[]): Promise<void> =>
  updateRepo(tx, id, { licenses: JSON.stringify(licenses) })

/** The size of the git data on disk, wiki included. */
export const setGitSize = (tx: Tx, id: RepoId, bytes: number): Promise<void> => updateRepo(tx, id, { git_size: bytes })

export const setLfsSize = (tx: Tx, id: RepoId, bytes: number): Promise<void> => updateRepo(tx, id, { lfs_size: bytes })

interface WikiTip {
  /** Undefined for a wiki without pages. */
  readonly oid: string | undefined
  /** If absent, the branch does not change. */
  readonly branch?: string | undefined
  /** The time of the change of the wiki; absent if it did not change. */
  readonly updatedAt?: number | undefined
}

export const setWikiTip = (tx: Tx, id: RepoId, { oid, branch, updatedAt }: WikiTip): Promise<void> =>
  updateRepo(tx, id, {
    wiki_oid: oid ?? '',
    ...(branch !== undefined && { wiki_branch: branch }),
    ...(updatedAt !== undefined && { updated_at: updatedAt }),
  })
