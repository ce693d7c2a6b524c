import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type User, userPresenters } from '../../accounts/index.ts'
import type { Candidate } from './candidates.store.ts'
import type { CleanupRule } from './cleanup-rule.store.ts'
import type { PackageCleanupRule, RemovablePackageVersion } from './cleanup-rule.model.ts'

export interface CleanupRuleView {
  readonly rule: CleanupRule
  /** Undefined if the account was deleted. */
  readonly author: User | undefined
}

export const presentCleanupRule = (
  { rule, author }: CleanupRuleView,
  viewer: Viewer,
  site: Site,
): PackageCleanupRule => ({
  type: rule.type,
  enabled: rule.isEnabled,
  keep_count: rule.keepCount,
  keep_pattern: rule.keepPattern,
  remove_days: rule.removeDays,
  remove_pattern: rule.removePattern,
  match_full_name: rule.matchesFullName,
  author: author ? userPresenters.present(author, viewer, site) : null,
  created_at: wireTime(rule.createdAt),
  updated_at: wireTime(rule.updatedAt),
})

export const presentRemovable = ({ id, name, version, changedAt }: Candidate): RemovablePackageVersion => ({
  id,
  name,
  version,
  changed_at: wireTime(changedAt),
})
