import type { Database } from '../../db/database.ts'
import { DomainError } from '../../platform/errors.ts'
import type { RepoId } from '../../platform/ids.ts'
import { findRepoById } from '../repos/repo.store.ts'
import type { User } from '../users/user.store.ts'
import type { QuotaSubject } from './quota.policy.ts'
import { ownerHasRoom, type QuotaSettings } from './room.ts'

/**
 * Asked before anything is stored, by what is there already and not by what would come (reference auth-and-access §17).
 */
export interface DiskQuota {
  /** Throws QuotaExceeded with the owner in its members. */
  require(owner: Pick<User, 'id' | 'name'>, subject: QuotaSubject): Promise<void>
  /** The same for the owner of a repository; nothing for one that is gone. */
  requireFor(repoId: RepoId, subject: QuotaSubject): Promise<void>
  isExceeded(owner: Pick<User, 'id'>, subject: QuotaSubject): Promise<boolean>
}

/** Where quotas are off it costs no query. */
export function createDiskQuota({
  database: { read },
  settings,
}: {
  readonly database: Database
  readonly settings: QuotaSettings
}): DiskQuota {
  const quota: DiskQuota = {
    isExceeded: async ({ id }, subject) => settings.isEnabled && !(await ownerHasRoom(read, settings, id, subject)),
    async require(owner, subject) {
      if (await quota.isExceeded(owner, subject))
        throw new DomainError('quota-exceeded', 'quota exceeded', {
          url: undefined,
          user_id: owner.id,
          username: owner.name,
        })
    },
    async requireFor(repoId, subject) {
      const repo = settings.isEnabled ? await findRepoById(read, repoId) : undefined
      if (repo !== undefined) await quota.require(repo.owner, subject)
    },
  }
  return quota
}
