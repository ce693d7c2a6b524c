import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { loadQuotaUsage } from './quota-usage.store.ts'
import { isWithinAnyGroup, isWithin, type QuotaSubject } from './quota.policy.ts'
import { listQuotaGroups, type QuotaGroup } from './quota.store.ts'

export interface QuotaSettings {
  readonly isEnabled: boolean
  /** The groups of owners without a group. */
  readonly defaultGroups: readonly string[]
  /** Bytes of all modules, for owners without a group when no default group exists; -1 is no limit. */
  readonly defaultTotal: number
}

/** The groups that apply to an owner: its own, else the default ones. */
export async function quotaGroupsOf(db: Db, settings: QuotaSettings, ownerId: UserId): Promise<QuotaGroup[]> {
  const own = await listQuotaGroups(db, { ofUser: ownerId })
  return own.length > 0 ? own : listQuotaGroups(db, { names: settings.defaultGroups })
}

/**
 * Whether the owner is within the limits of its groups; without a group, within the default total, which counts all
 * subjects.
 */
export async function isOwnerWithinQuota(
  db: Db,
  settings: QuotaSettings,
  ownerId: UserId,
  subject: QuotaSubject,
): Promise<boolean> {
  const groups = await quotaGroupsOf(db, settings, ownerId)
  if (groups.length === 0 && settings.defaultTotal < 0) return true
  const usage = await loadQuotaUsage(db, ownerId)
  if (groups.length === 0) return isWithin({ limit: settings.defaultTotal, subjects: ['size:all'] }, usage)
  return isWithinAnyGroup(
    groups.map(({ rules }) => rules),
    usage,
    subject,
  )
}
