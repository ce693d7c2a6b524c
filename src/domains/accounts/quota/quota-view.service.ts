import type { Database } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import {
  listUsedArtifacts,
  listUsedAttachments,
  loadQuotaUsage,
  type UsedArtifact,
  type UsedAttachment,
} from './quota-usage.store.ts'
import { listUsedPackages, type UsedPackage } from './used-package.store.ts'
import { requireSubject } from './quota-rules.service.ts'
import type { QuotaUsage } from './quota.policy.ts'
import type { QuotaGroup } from './quota.store.ts'
import { isOwnerWithinQuota, quotaGroupsOf, type QuotaSettings } from './owner-quota.ts'

export interface QuotaOfOwner {
  readonly usage: QuotaUsage
  readonly groups: readonly QuotaGroup[]
}

export type QuotaView = ReturnType<typeof createQuotaView>

/** Usage and limits, for owners and administrators. */
export function createQuotaView({
  database: { read },
  settings,
}: {
  readonly database: Database
  readonly settings: QuotaSettings
}) {
  return {
    isEnabled: settings.isEnabled,
    /** The usage of an owner, and the groups that apply to it. */
    of: async (ownerId: UserId): Promise<QuotaOfOwner> => ({
      usage: await loadQuotaUsage(read, ownerId),
      groups: await quotaGroupsOf(read, settings, ownerId),
    }),
    /** Whether the owner is within its limits. Throws Invalid for an unknown subject. */
    check: async (ownerId: UserId, subject: string): Promise<boolean> =>
      isOwnerWithinQuota(read, settings, ownerId, requireSubject(subject)),
    /** The largest first. */
    artifacts: (ownerId: UserId, paging: Paging): Promise<Page<UsedArtifact>> =>
      listUsedArtifacts(read, ownerId, paging),
    /** The largest version first. */
    packages: (ownerId: UserId, paging: Paging): Promise<Page<UsedPackage>> => listUsedPackages(read, ownerId, paging),
    /** The largest first. */
    attachments: (ownerId: UserId, paging: Paging): Promise<Page<UsedAttachment>> =>
      listUsedAttachments(read, ownerId, paging),
  }
}
