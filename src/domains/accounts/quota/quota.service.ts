import type { Database, Db } from '../../../core/db/database.ts'
import { errors } from '../../errors.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { User } from '../users/user.store.ts'
import {
  loadQuotaUsage,
  type QuotaParts,
  type UsedArtifact,
  type UsedAttachment,
  type UsedPackage,
} from './quota-parts.ts'
import { type QuotaSubject, type QuotaUsage, isWithinAnyGroup, isWithin } from './quota.policy.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { requireSubject } from './quota-rules.service.ts'
import { type QuotaGroup, listQuotaGroups } from './quota.store.ts'

/**
 * Whether an owner may store more. The check precedes the write: it counts the stored bytes, without those of the write
 * (behaviour/auth-and-access#quota).
 */
export interface DiskQuota {
  /** Throws QuotaExceeded, whose members contain the owner. */
  require(owner: Pick<User, 'id' | 'name'>, subject: QuotaSubject): Promise<void>
  /** The same for the owner of a repository; does nothing when the repository was deleted. */
  requireFor(repoId: RepoId, subject: QuotaSubject): Promise<void>
  isExceeded(owner: Pick<User, 'id'>, subject: QuotaSubject): Promise<boolean>
}

/** Runs no query when quotas are disabled. */
export function createDiskQuota(deps: QuotaDeps): DiskQuota {
  const {
    database: { read },
    settings,
    parts,
  } = deps
  const quota: DiskQuota = {
    isExceeded: async ({ id }, subject) => settings.isEnabled && !(await isOwnerWithinQuota(deps, id, subject)),
    async require(owner, subject) {
      if (await quota.isExceeded(owner, subject))
        throw errors.quotaExceeded().with({
          url: undefined,
          user_id: owner.id,
          username: owner.name,
        })
    },
    async requireFor(repoId, subject) {
      const owner = settings.isEnabled ? await parts.ownerOf.get()(read, repoId) : undefined
      if (owner !== undefined) await quota.require(owner, subject)
    },
  }
  return quota
}

export interface QuotaOfOwner {
  readonly usage: QuotaUsage
  readonly groups: readonly QuotaGroup[]
}

export type QuotaView = ReturnType<typeof createQuotaView>

/** Usage and limits, for owners and administrators. */
export function createQuotaView(deps: QuotaDeps) {
  const {
    database: { read },
    settings,
    parts,
  } = deps
  return {
    isEnabled: settings.isEnabled,
    /** The usage of an owner, and the groups that apply to it. */
    of: async (ownerId: UserId): Promise<QuotaOfOwner> => ({
      usage: await loadQuotaUsage(parts, read, ownerId),
      groups: await quotaGroupsOf(read, settings, ownerId),
    }),
    /** Whether the owner is within its limits. Throws Invalid for an unknown subject. */
    check: async (ownerId: UserId, subject: string): Promise<boolean> =>
      isOwnerWithinQuota(deps, ownerId, requireSubject(subject)),
    /** The largest first. */
    artifacts: (ownerId: UserId, paging: Paging): Promise<Page<UsedArtifact>> =>
      parts.artifacts.get()(read, ownerId, paging),
    /** The largest version first. */
    packages: (ownerId: UserId, paging: Paging): Promise<Page<UsedPackage>> =>
      parts.packages.get()(read, ownerId, paging),
    /** The largest first. */
    attachments: (ownerId: UserId, paging: Paging): Promise<Page<UsedAttachment>> =>
      parts.attachments.get()(read, ownerId, paging),
  }
}

interface QuotaDeps {
  readonly database: Database
  readonly settings: QuotaSettings
  readonly parts: QuotaParts
}

interface QuotaSettings {
  readonly isEnabled: boolean
  /** The groups of owners without a group. */
  readonly defaultGroups: readonly string[]
  /** Bytes of all subjects, for owners without a group when no default group exists; -1 is no limit. */
  readonly defaultTotal: number
}

/** The groups that apply to an owner: its own, or else the default groups. */
async function quotaGroupsOf(db: Db, settings: QuotaSettings, ownerId: UserId): Promise<QuotaGroup[]> {
  const own = await listQuotaGroups(db, { ofUser: ownerId })
  return own.length > 0 ? own : listQuotaGroups(db, { names: settings.defaultGroups })
}

/**
 * Whether the owner is within the limits of its groups; without a group, within the default total, which counts all
 * subjects.
 */
async function isOwnerWithinQuota(
  { database: { read }, settings, parts }: QuotaDeps,
  ownerId: UserId,
  subject: QuotaSubject,
): Promise<boolean> {
  const groups = await quotaGroupsOf(read, settings, ownerId)
  if (groups.length === 0 && settings.defaultTotal < 0) return true
  const usage = await loadQuotaUsage(parts, read, ownerId)
  if (groups.length === 0) return isWithin({ limit: settings.defaultTotal, subjects: ['size:all'] }, usage)
  return isWithinAnyGroup(
    groups.map(({ rules }) => rules),
    usage,
    subject,
  )
}
