import type { Db } from '../../db/database.ts'
import type { UserId } from '../../platform/ids.ts'
import { loadQuotaUsage } from './quota-usage.store.ts'
import { hasRoom, isWithin, type QuotaSubject } from './quota.policy.ts'
import { listQuotaGroups, type QuotaGroup } from './quota.store.ts'

export interface QuotaSettings {
  readonly isEnabled: boolean
  /** Groups of owners that are in none. */
  readonly defaultGroups: readonly string[]
  /** Bytes for everything, of owners in no group where the default groups do not exist; -1 is no limit. */
  readonly defaultTotal: number
}

/** No limits. */
export const NO_QUOTA: QuotaSettings = { isEnabled: false, defaultGroups: [], defaultTotal: -1 }

/** The groups that apply to an owner: its own, else the default ones. */
export async function quotaGroupsOf(db: Db, settings: QuotaSettings, ownerId: UserId): Promise<QuotaGroup[]> {
  const own = await listQuotaGroups(db, { ofUser: ownerId })
  return own.length > 0 ? own : listQuotaGroups(db, { names: settings.defaultGroups })
}

/**
 * Whether there is room by the groups; without any, by the default total, which counts everything whatever the subject.
 */
export async function ownerHasRoom(
  db: Db,
  settings: QuotaSettings,
  ownerId: UserId,
  subject: QuotaSubject,
): Promise<boolean> {
  const groups = await quotaGroupsOf(db, settings, ownerId)
  if (groups.length === 0 && settings.defaultTotal < 0) return true
  const usage = await loadQuotaUsage(db, ownerId)
  if (groups.length === 0) return isWithin({ limit: settings.defaultTotal, subjects: ['size:all'] }, usage)
  return hasRoom(
    groups.map(({ rules }) => rules),
    usage,
    subject,
  )
}
