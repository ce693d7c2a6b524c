import type { EventPayload } from '../../events/index.ts'
import type { Release } from './release.store.ts'

/** What subscribers cannot look up any more once the release has gone. */
export function releaseFacts(release: Release): EventPayload<'release.deleted'> {
  return {
    repo_id: release.repoId,
    release_id: release.id,
    publisher_id: release.publisherId,
    tag_name: release.tagName,
    target: release.target,
    title: release.title,
    body: release.body,
    is_prerelease: release.isPrerelease,
    created_at: release.createdAt,
  }
}
