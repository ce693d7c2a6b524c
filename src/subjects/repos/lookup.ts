import {
  canSeeRepo,
  decideRepoAccess,
  needsTies,
  NO_TIES,
  type RepoAccess,
  type RepoTies,
} from '../../access/repo-access.ts'
import { loadRepoTies } from '../../access/repo-grants.store.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { MovedError, notFound } from '../../platform/errors.ts'
import { findRenamedUserId, findUserById, findUserByName, movedOwner, type User } from '../users/index.ts'
import { findRenamedRepoId, findRepoById, findRepoByName, type Repo } from './repo.store.ts'

export interface RepoInView {
  readonly repo: Repo
  readonly access: RepoAccess
}

/** The repository as the viewer may see it. Throws NotFound when missing or hidden, Moved when renamed. */
export async function getRepoInView(db: Db, viewer: Viewer, ownerName: string, repoName: string): Promise<RepoInView> {
  const owner = await findUserByName(db, ownerName)
  if (owner === undefined) throw (await movedOwner(db, viewer, ownerName)) ?? notFound('repository does not exist')
  const repo = await findRepoByName(db, owner, repoName)
  if (repo === undefined) throw (await movedRepo(db, viewer, owner, repoName)) ?? notFound('repository does not exist')
  const access = await loadRepoAccess(db, viewer, repo)
  if (!canSeeRepo(access)) throw notFound('repository does not exist')
  return { repo, access }
}

/** The repository that has or had this name; the caller must decide whether the viewer may see it. */
export async function findRepoByAnyName(db: Db, ownerName: string, repoName: string): Promise<Repo | undefined> {
  const renamedOwner = async (): Promise<User | undefined> => {
    const id = await findRenamedUserId(db, ownerName)
    return id === undefined ? undefined : findUserById(db, id)
  }
  const owner = (await findUserByName(db, ownerName)) ?? (await renamedOwner())
  if (owner === undefined) return undefined
  const found = await findRepoByName(db, owner, repoName)
  if (found !== undefined) return found
  const id = await findRenamedRepoId(db, owner.id, repoName)
  return id === undefined ? undefined : findRepoById(db, id)
}

/** What the viewer may do with a repository that is already loaded. */
export async function loadRepoAccess(db: Db, viewer: Viewer, repo: Repo): Promise<RepoAccess> {
  return decideRepoAccess(viewer, repo, (await loadTiesFor(db, viewer, [repo])).get(repo.id) ?? NO_TIES)
}

/** As loadRepoAccess for a page of repositories, with the same few queries whatever their number. */
export async function loadRepoAccesses(
  db: Db,
  viewer: Viewer,
  repos: readonly Repo[],
): Promise<Map<Repo['id'], RepoAccess>> {
  const ties = await loadTiesFor(db, viewer, repos)
  return new Map(repos.map((repo) => [repo.id, decideRepoAccess(viewer, repo, ties.get(repo.id) ?? NO_TIES)]))
}

async function loadTiesFor(db: Db, viewer: Viewer, repos: readonly Repo[]): Promise<Map<Repo['id'], RepoTies>> {
  if (viewer.kind === 'anonymous') return new Map()
  return loadRepoTies(
    db,
    viewer.account.id,
    repos.filter((repo) => needsTies(viewer, repo)),
  )
}

/** Whether public-only tokens may use the repository (behaviour/auth-and-access#scopes). */
export const isPublicRepo = (repo: Repo): boolean => !repo.isPrivate && repo.owner.visibility === 'public'

/** The error with the current name of a renamed repository; undefined when the viewer may not see it. */
async function movedRepo(db: Db, viewer: Viewer, owner: User, name: string): Promise<MovedError | undefined> {
  const id = await findRenamedRepoId(db, owner.id, name)
  const repo = id === undefined ? undefined : await findRepoById(db, id)
  if (repo === undefined || !canSeeRepo(await loadRepoAccess(db, viewer, repo))) return undefined
  return new MovedError('repo', `${owner.name}/${name}`, repo.fullName)
}
