import type { Database } from '../../../../core/db/database.ts'
import { oversize } from '../../../../core/platform/errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { Repo } from '../repo.store.ts'
import { deleteRepoFlags, hasRepoFlag, insertRepoFlags, listRepoFlags } from './repo-flag.store.ts'

/**
 * Words that site administrators put on repositories (behaviour/repositories#flags-activity-feed-adoption). Everything
 * is idempotent.
 */
export interface RepoFlags {
  /** A-Z. */
  list(repo: Repo, paging: Paging): Promise<Page<string>>
  has(repo: Repo, name: string): Promise<boolean>
  /** Throws Invalid for empty and overlong words, and too many. */
  replace(repo: Repo, names: readonly string[]): Promise<void>
  /** Throws Invalid as replace. */
  add(repo: Repo, name: string): Promise<void>
  delete(repo: Repo, name: string): Promise<void>
}

const MAX_LENGTH = 255
const MAX_FLAGS = 100

export function createRepoFlags({ database }: { readonly database: Database }): RepoFlags {
  return {
    list: (repo, paging) => listRepoFlags(database.read, repo.id, paging),
    has: (repo, name) => hasRepoFlag(database.read, repo.id, name),
    async replace(repo, names) {
      const flags = [...new Set(names)]
      if (flags.length > MAX_FLAGS) throw oversize('Flags', MAX_FLAGS, 'items')
      if (!flags.every(isFlag)) throw oversize('Flags', MAX_LENGTH, 'characters')
      await database.transaction(async (tx) => {
        await deleteRepoFlags(tx, repo.id)
        await insertRepoFlags(tx, repo.id, flags)
      })
    },
    async add(repo, name) {
      if (!isFlag(name)) throw oversize('Flag', MAX_LENGTH, 'characters')
      await database.transaction((tx) => insertRepoFlags(tx, repo.id, [name]))
    },
    delete: (repo, name) => database.transaction((tx) => deleteRepoFlags(tx, repo.id, name)),
  }
}

const isFlag = (name: string): boolean => name.trim() !== '' && name.length <= MAX_LENGTH && !name.includes('\0')
