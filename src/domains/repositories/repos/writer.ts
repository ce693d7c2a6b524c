import { AccessMode } from '../../../core/access/access-mode.ts'
import { type RepoAccess, unitMode } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { loadRepoAccess } from './lookup.ts'
import type { Repo } from './repo.store.ts'

/** An account that may write the code of a repository, and its access to it. */
export interface Writer {
  readonly viewer: SignedIn
  readonly access: RepoAccess
}

/** Undefined when the account may not write the code. */
export async function findWriter(db: Db, viewer: SignedIn, repo: Repo): Promise<Writer | undefined> {
  const access = await loadRepoAccess(db, viewer, repo)
  return unitMode(access, 'repo.code') >= AccessMode.write ? { viewer, access } : undefined
}
