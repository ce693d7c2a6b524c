import { wireTime } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repo } from '../../repos/repo.store.ts'
import type { WatchInfo } from './watch-info.model.ts'

/**
 * How the caller watches the repository (behaviour/base-interface#watchinfo): `created_at` is the repository's
 * (behaviour/repositories#watching-and-starring).
 */
export function presentWatchInfo(repo: Repo, site: Site): WatchInfo {
  const url = `${site.rootUrl()}/api/v1/repos/${repo.fullName}`
  return {
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: wireTime(repo.createdAt),
    url: `${url}/subscription`,
    repository_url: url,
  }
}
