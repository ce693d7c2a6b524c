import { wireTime } from '../../../core/platform/clock.ts'
import type { PackageUpstream } from './upstream.model.ts'
import type { Upstream } from './upstream.store.ts'

export const presentUpstream = (upstream: Upstream): PackageUpstream => ({
  type: upstream.type,
  url: upstream.url,
  has_credentials: upstream.credentials !== '',
  allow: [...upstream.allowed],
  min_age_days: upstream.minAgeDays,
  offline: upstream.isOffline,
  created_at: wireTime(upstream.createdAt),
  updated_at: wireTime(upstream.updatedAt),
})
