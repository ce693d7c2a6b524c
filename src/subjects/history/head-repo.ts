import { AccessMode } from '../../access/access-mode.ts'
import { unitMode } from '../../access/repo-access.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { badRequest, notFound } from '../../platform/errors.ts'
import { findRepoById, findRepoByName, loadRepoAccess, type Repo } from '../repos/index.ts'
import { getOwnerInView, type User } from '../users/index.ts'
import { findForkOf } from './fork-network.store.ts'

/**
 * The repository of the fork network of `base` that the part of a head before the colon names: `user` or `user/repo`.
 * Throws NotFound for what is missing or hidden, BadRequest for a user without a fork.
 */
export async function findHeadRepo(db: Db, viewer: Viewer, base: Repo, prefix: string): Promise<Repo> {
  const [ownerName, repoName] = prefix.split('/', 2)
  const owner = await getOwnerInView(db, viewer, ownerName!)
  const found = await inNetwork(db, base, owner)
  const named =
    repoName === undefined || found?.name.toLowerCase() === repoName.toLowerCase()
      ? found
      : await findSibling(db, base, owner, repoName)
  if (named === undefined) throw badRequest(`the user ${owner.name} does not have a fork of the base repository`)
  if (unitMode(await loadRepoAccess(db, viewer, named), 'repo.code') < AccessMode.read)
    throw notFound('the head repository is not readable')
  return named
}

/** The repository of a user in the fork network: the base itself, its parent, its fork or a fork of the same parent. */
async function inNetwork(db: Db, base: Repo, owner: User): Promise<Repo | undefined> {
  if (base.owner.id === owner.id) return base
  const parent = base.forkId === undefined ? undefined : await findRepoById(db, base.forkId)
  if (parent?.owner.id === owner.id) return parent
  return (await findForkOf(db, base.id, owner)) ?? (parent && (await findForkOf(db, parent.id, owner)))
}

/** The owner's repository of this name, if it belongs to the fork network. */
async function findSibling(db: Db, base: Repo, owner: User, name: string): Promise<Repo | undefined> {
  const repo = await findRepoByName(db, owner, name)
  const roots = [base.id, ...(base.forkId === undefined ? [] : [base.forkId])]
  return repo && roots.some((root) => root === repo.id || root === repo.forkId) ? repo : undefined
}
