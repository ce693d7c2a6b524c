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

/** Usage and limits, for owners and administrators. */
export interface QuotaView {
  readonly isEnabled: boolean
  /** The usage of an owner, and the groups that apply to it. */
  of(ownerId: UserId): Promise<QuotaOfOwner>
  /** Whether the owner is within its limits. Throws Invalid for an unknown subject. */
  check(ownerId: UserId, subject: string): Promise<boolean>
  /** The largest first. */
  attachments(ownerId: UserId, paging: Paging): Promise<Page<UsedAttachment>>
  /** The largest first. */
  artifacts(ownerId: UserId, paging: Paging): Promise<Page<UsedArtifact>>
  /** The largest version first. */
  packages(ownerId: UserId, paging: Paging): Promise<Page<UsedPackage>>
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
    check: async (ownerId, subject) => isOwnerWithinQuota(read, settings, ownerId, requireSubject(subject)),
    artifacts: (ownerId, paging) => listUsedArtifacts(read, ownerId, paging),
    packages: (ownerId, paging) => listUsedPackages(read, ownerId, paging),
    attachments: (ownerId, paging) => listUsedAttachments(read, ownerId, paging),
  }
}
