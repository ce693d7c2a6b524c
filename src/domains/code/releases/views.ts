import type { Db } from '../../../core/db/database.ts'
import { type ArchiveDownloads, NO_DOWNLOADS, loadArchiveDownloads } from '../archives/archive-download.store.ts'
import { type Attachment, attachmentQueries } from '../../repositories/index.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import type { Release } from './release.store.ts'

/** A release with all data of its API representation. */
export interface ReleaseView {
  readonly release: Release
  /** Undefined if the account was deleted. */
  readonly author: User | undefined
  /** Sorted by name. */
  readonly assets: readonly Attachment[]
  /** The download counts of the archives of its tag. */
  readonly downloads: ArchiveDownloads
}

/** Loads views of releases of one repository with three queries, in the given order. */
export async function loadReleaseViews(db: Db, releases: readonly Release[]): Promise<ReleaseView[]> {
  if (releases.length === 0) return []
  const [authors, assets, downloads] = await Promise.all([
    userQueries.listByIds(db, [...new Set(releases.map((release) => release.publisherId))]),
    attachmentQueries.listOf(
      db,
      'release',
      releases.map((release) => release.id),
    ),
    loadArchiveDownloads(
      db,
      releases[0]!.repoId,
      releases.map((release) => release.tagName),
    ),
  ])
  const byId = new Map(authors.map((user) => [user.id, user]))
  const byRelease = Map.groupBy(assets, (asset) => asset.releaseId)
  return releases.map((release) => ({
    release,
    author: byId.get(release.publisherId),
    assets: byRelease.get(release.id) ?? [],
    downloads: downloads.get(release.tagName) ?? NO_DOWNLOADS,
  }))
}
