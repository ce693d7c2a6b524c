import type { Database } from '../../../core/db/database.ts'
import { DomainError } from '../../../core/platform/errors.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { User } from '../users/user.store.ts'
import { findRepoOwner } from './quota-usage.store.ts'
import type { QuotaSubject } from './quota.policy.ts'
import { isOwnerWithinQuota, type QuotaSettings } from './owner-quota.ts'

/**
 * Whether an owner may store more. The check precedes the write: it counts what is stored, not what the write adds
 * (behaviour/auth-and-access#quota).
 */
export interface DiskQuota {
  /** Throws QuotaExceeded with the owner in its members. */
  require(owner: Pick<User, 'id' | 'name'>, subject: QuotaSubject): Promise<void>
  /** The same for the owner of a repository; does nothing when the repository was deleted. */
  requireFor(repoId: RepoId, subject: QuotaSubject): Promise<void>
  isExceeded(owner: Pick<User, 'id'>, subject: QuotaSubject): Promise<boolean>
}

/** Runs no query when quotas are disabled. */
export function createDiskQuota({
  database: { read },
  settings,
}: {
  readonly database: Database
  readonly settings: QuotaSettings
}): DiskQuota {
  const quota: DiskQuota = {
    isExceeded: async ({ id }, subject) =>
      settings.isEnabled && !(await isOwnerWithinQuota(read, settings, id, subject)),
    async require(owner, subject) {
      if (await quota.isExceeded(owner, subject))
        throw new DomainError('quota-exceeded', 'quota exceeded', {
          url: undefined,
          user_id: owner.id,
          username: owner.name,
        })
    },
    async requireFor(repoId, subject) {
      const owner = settings.isEnabled ? await findRepoOwner(read, repoId) : undefined
      if (owner !== undefined) await quota.require(owner, subject)
    },
  }
  return quota
}
