import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'

/** Whose runners: the site's, those of a user or organization for all its repositories, or those of one repository. */
export type ActionsPlace =
  | { readonly kind: 'site' }
  | { readonly kind: 'owner'; readonly ownerId: UserId }
  | { readonly kind: 'repository'; readonly repoId: RepoId }

/** A place in columns; both are null for the site. */
export interface PlaceColumns {
  readonly owner_id: number | null
  readonly repo_id: number | null
}

export const placeColumns = (place: ActionsPlace): PlaceColumns => ({
  owner_id: place.kind === 'owner' ? place.ownerId : null,
  repo_id: place.kind === 'repository' ? place.repoId : null,
})
