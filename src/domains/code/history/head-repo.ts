import { AccessMode, canSeeRepo, unitMode } from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { badRequest, notFound } from '../../../core/platform/errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { type Repo, accessQueries } from '../../repositories/index.ts'
import { type User, ownerQueries } from '../../accounts/index.ts'
import { listForkAncestors, listReposOfNetwork } from './fork-network.store.ts'

/** Like `findHeadRepo`, but throws BadRequest for a user without a fork. */
export async function requireHeadRepo(db: Db, viewer: Viewer, base: Repo, prefix: string): Promise<Repo> {
  const repo = await findHeadRepo(db, viewer, base, prefix)
  if (repo === undefined)
    throw badRequest(`the user ${prefix.split('/')[0]} does not have a fork of the base repository`)
  return repo
}

/**
 * Finds the repository in the fork network of `base` that the part of a head before the colon names: `user` or
 * `user/repo`. If a user has several, the nearest to the base is chosen. Returns undefined for a user without a fork
 * and for a user whose fork is hidden. Throws NotFound for a missing or hidden user and for code that the viewer may
 * not read.
 */
export async function findHeadRepo(db: Db, viewer: Viewer, base: Repo, prefix: string): Promise<Repo | undefined> {
  const [ownerName, repoName] = prefix.split('/', 2)
  const owner = await ownerQueries.getInView(db, viewer, ownerName!)
  for (const repo of await listCandidates(db, base, owner)) {
    if (repoName !== undefined && repo.name.toLowerCase() !== repoName.toLowerCase()) continue
    const access = await accessQueries.load(db, viewer, repo)
    if (!canSeeRepo(access)) continue
    if (unitMode(access, 'repo.code') < AccessMode.read) throw notFound('the head repository is not readable')
    return repo
  }
  return undefined
}

/** In order: the base itself, its parent, its fork, a fork of the same parent, then forks of forks. */
async function listCandidates(db: Db, base: Repo, owner: User): Promise<Repo[]> {
  const above = await listForkAncestors(db, base.id)
  const rank = ({ id, forkId }: Repo): number => {
    const nearness: readonly (RepoId | undefined)[] = [base.id, base.forkId]
    const at = nearness.indexOf(id)
    if (at >= 0) return at
    return forkId !== undefined && nearness.includes(forkId) ? 2 + nearness.indexOf(forkId) : 4
  }
  const repos = await listReposOfNetwork(db, above.at(-1) ?? base.id, owner)
  return repos.toSorted((a, b) => rank(a) - rank(b))
}
