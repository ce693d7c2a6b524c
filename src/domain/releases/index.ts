/** Releases: what a tag was published as, with its files. */
export type { Release } from '../../db/stores/release.store.ts'
export { draftReleasesOfTags } from './lost-tags.ts'
export { createReleaseTags, type ReleaseTags } from './release-tags.ts'
export { createReleases, cutTitle, type NewReleaseInput, type ReleaseEdit, type ReleaseQuery, type Releases } from './releases.service.ts'
export type { ReleaseView } from './views.ts'
