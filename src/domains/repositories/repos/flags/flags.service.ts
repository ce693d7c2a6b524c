import type { Database } from '../../../../core/db/database.ts'
import { oversize } from '../../../../core/platform/errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { Repo } from '../repo.store.ts'
import { deleteRepoFlags, hasRepoFlag, insertRepoFlags, listRepoFlags } from './repo-flag.store.ts'

const MAX_LENGTH = 255
const MAX_FLAGS = 100

export type RepoFlags = ReturnType<typeof createRepoFlags>

/**
 * Flags that site administrators set on repositories (behaviour/repositories#flags-activity-feed-adoption). All methods
 * are idempotent.
 */
export function createRepoFlags({ database }: { readonly database: Database }) {
  return {
    /** Flags ordered by name. */
    list: (repo: Repo, paging: Paging): Promise<Page<string>> => listRepoFlags(database.read, repo.id, paging),
    has: (repo: Repo, name: string): Promise<boolean> => hasRepoFlag(database.read, repo.id, name),
    /** Throws Invalid for empty and overlong flags, and for too many. */
    async replace(repo: Repo, names: readonly string[]): Promise<void> {
      const flags = [...new Set(names)]
      if (flags.length > MAX_FLAGS) throw oversize('Flags', MAX_FLAGS, 'items')
      if (!flags.every(isFlag)) throw oversize('Flags', MAX_LENGTH, 'characters')
      await database.transaction(async (tx) => {
        await deleteRepoFlags(tx, repo.id)
        await insertRepoFlags(tx, repo.id, flags)
      })
    },
    /** Throws Invalid like `replace`. */
    async add(repo: Repo, name: string): Promise<void> {
      if (!isFlag(name)) throw oversize('Flag', MAX_LENGTH, 'characters')
      await database.transaction((tx) => insertRepoFlags(tx, repo.id, [name]))
    },
    delete: (repo: Repo, name: string): Promise<void> =>
      database.transaction((tx) => deleteRepoFlags(tx, repo.id, name)),
  }
}

const isFlag = (name: string): boolean => name.trim() !== '' && name.length <= MAX_LENGTH && !name.includes('\0')
