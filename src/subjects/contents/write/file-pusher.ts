import { AccessMode } from '../../../access/access-mode.ts'
import { type RepoAccess, unitMode } from '../../../access/repo-access.ts'
import { type SignedIn, viewerOfAccount } from '../../../access/viewer.ts'
import type { Db } from '../../../db/database.ts'
import { findRepoById, loadRepoAccess, type Repo, type RepoInView } from '../../repos/index.ts'
import { findUserById } from '../../users/index.ts'
import { listMaintainedHeads, type MaintainedHead } from './maintained-head.store.ts'

/** The account by whose right a branch is written. */
export interface FilePusher {
  readonly viewer: SignedIn
  readonly access: RepoAccess
}

const canWrite = (access: RepoAccess): boolean => unitMode(access, 'repo.code') >= AccessMode.write

/**
 * The actor; where it does not write the repository, the poster of a pull request from the branch that lets those edit
 * it who write its base (behaviour/git-data-and-transport#writing-contents). Undefined when there is neither. Without a
 * branch: of any branch.
 */
export async function findFilePusher(
  read: Db,
  actor: SignedIn,
  { repo, access }: RepoInView,
  branch?: string,
): Promise<FilePusher | undefined> {
  if (canWrite(access)) return { viewer: actor, access }
  for (const head of await listMaintainedHeads(read, repo.id)) {
    if (branch !== undefined && head.branch !== branch) continue
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
): Promise<FilePusher | undefined> {
  const base = await findRepoById(read, baseRepoId)
  if (base === undefined || !canWrite(await loadRepoAccess(read, actor, base))) return undefined
  const poster = await findUserById(read, posterId)
  if (poster === undefined) return undefined
  const viewer = viewerOfAccount(poster)
  const access = await loadRepoAccess(read, viewer, repo)
  return canWrite(access) ? { viewer, access } : undefined
}
