import type { Database } from '../../db/database.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { listUsedAttachments, loadQuotaUsage, type UsedAttachment } from './quota-usage.store.ts'
import { requireSubject } from './quota-rules.service.ts'
import type { QuotaUsage } from './quota.policy.ts'
import type { QuotaGroup } from './quota.store.ts'
import { ownerHasRoom, quotaGroupsOf, type QuotaSettings } from './room.ts'

export interface QuotaOfOwner {
  readonly usage: QuotaUsage
  readonly groups: readonly QuotaGroup[]
}

/** What owners and administrators may read about quotas. */
export interface QuotaView {
  readonly isEnabled: boolean
  /** What an owner uses, and the groups that count for it. */
  of(ownerId: UserId): Promise<QuotaOfOwner>
  /** Whether the owner has room. Throws Invalid for an unknown subject. */
  check(ownerId: UserId, subject: string): Promise<boolean>
  /** The largest first. */
  attachments(ownerId: UserId, paging: Paging): Promise<Page<UsedAttachment>>
}

export function createQuotaView({
  database: { read },
  settings,
}: {
  readonly database: Database
  readonly settings: QuotaSettings
}): QuotaView {
  return {
    isEnabled: settings.isEnabled,
    of: async (ownerId) => ({
      usage: await loadQuotaUsage(read, ownerId),
      groups: await quotaGroupsOf(read, settings, ownerId),
    }),
    check: async (ownerId, subject) => ownerHasRoom(read, settings, ownerId, requireSubject(subject)),
    attachments: (ownerId, paging) => listUsedAttachments(read, ownerId, paging),
  }
}
