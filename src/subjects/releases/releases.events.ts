import { Type } from '@sinclair/typebox'
import type { EventPayload, PayloadsOf } from '../../events/index.ts'
import type { Release } from './release.store.ts'

const Id = Type.Integer()
const OfRelease = {
  repo_id: Id,
  release_id: Id,
  publisher_id: Id,
  tag_name: Type.String(),
  target: Type.String(),
  title: Type.String(),
  body: Type.String(),
  is_prerelease: Type.Boolean(),
  created_at: Type.Integer(),
}

export const releaseEvents = {
  /**
   * Also appended when the tag of a release is deleted, which turns the release into a draft. Drafts have no events.
   */
  'release.deleted': Type.Object(OfRelease),
  'release.published': Type.Object(OfRelease),
  'release.updated': Type.Object(OfRelease),
}

declare module '../../events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof releaseEvents> {}
}

/** Contains what subscribers cannot look up after the release is deleted. */
export function releasePayload(release: Release): EventPayload<'release.deleted'> {
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
