import { Type } from '@sinclair/typebox'
import type { EventPayload, PayloadsOf } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
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
  hide_archive_links: Type.Optional(Type.Boolean()),
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

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof releaseEvents> {}
}

/** The release at the time of the event, restricted to the members of the payload. */
export const releaseOf = (payload: EventPayload<'release.deleted'>, at: number): Release => ({
  id: payload.release_id,
  repoId: asId(payload.repo_id),
  publisherId: asId(payload.publisher_id),
  tagName: payload.tag_name,
  target: payload.target,
  title: payload.title,
  body: payload.body,
  isDraft: false,
  isPrerelease: payload.is_prerelease,
  hideArchiveLinks: payload.hide_archive_links ?? false,
  createdAt: payload.created_at,
  updatedAt: at,
})

/** Contains the data that subscribers cannot look up after the deletion of the release. */
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
    hide_archive_links: release.hideArchiveLinks,
    created_at: release.createdAt,
  }
}
