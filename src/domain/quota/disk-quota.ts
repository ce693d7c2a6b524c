import type { Database } from '../../db/database.ts'
import { measureOwner } from '../../db/stores/disk-use.store.ts'
import { findRepoById } from '../../db/stores/repo.store.ts'
import type { User } from '../../db/stores/user.store.ts'
import { DomainError } from '../../platform/errors.ts'
import type { RepoId } from '../../platform/ids.ts'

/** What an operation would add to (reference auth-and-access §17). */
export type QuotaSubject = 'size:repos:all' | 'size:git:all' | 'size:git:lfs' | 'size:assets:wiki' | 'size:assets:attachments:issues' | 'size:assets:attachments:releases'

/**
 * Asked before anything is stored, by what is there already and not by what would come (reference auth-and-access §17). The
 * built-in rule counts everything an owner has, whatever the subject.
 */
export interface DiskQuota {
  /** Throws QuotaExceeded with the owner in its members. */
  require(owner: Pick<User, 'id' | 'name'>, subject: QuotaSubject): Promise<void>
  /** The same for the owner of a repository; nothing for one that is gone. */
  requireFor(repoId: RepoId, subject: QuotaSubject): Promise<void>
  isExceeded(owner: Pick<User, 'id'>, subject: QuotaSubject): Promise<boolean>
}

/** `total` in bytes; a negative one is no limit, and costs no query. */
export function createDiskQuota({ database: { read }, total }: { readonly database: Database; readonly total: number }): DiskQuota {
  const quota: DiskQuota = {
    isExceeded: async ({ id }) => total >= 0 && (await measureOwner(read, id)) > total,
    async require(owner, subject) {
      if (await quota.isExceeded(owner, subject)) throw new DomainError('quota-exceeded', 'quota exceeded', { url: undefined, user_id: owner.id, username: owner.name })
    },
    async requireFor(repoId, subject) {
      const repo = total >= 0 ? await findRepoById(read, repoId) : undefined
      if (repo !== undefined) await quota.require(repo.owner, subject)
    },
  }
  return quota
}
