import { escapePath, type RepoUrls } from '../../../core/access/repo-urls.ts'
import { presentImportedAuthor } from '../../../core/http/openapi/imported-author.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type AttachmentModel as Attachment, presentAttachment } from '../../repositories/index.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { Release } from './release.model.ts'
import type { ReleaseView } from './views.ts'

export function presentRelease(view: ReleaseView, urls: RepoUrls, site: Site): Release {
  const { release, author, downloads } = view
  const tag = escapePath(release.tagName)
  const url = `${urls.api}/releases/${release.id}`
  const at = wireTime(release.createdAt)
  return {
    id: release.id,
    tag_name: release.tagName,
    target_commitish: release.target,
    name: release.title,
    body: release.body,
    url,
    html_url: `${urls.html}/releases/tag/${tag}`,
    tarball_url: `${urls.html}/archive/${tag}.tar.gz`,
    zipball_url: `${urls.html}/archive/${tag}.zip`,
    hide_archive_links: release.hideArchiveLinks,
    upload_url: `${url}/assets`,
    draft: release.isDraft,
    prerelease: release.isPrerelease,
    created_at: at,
    published_at: at,
    author: author ? userPresenters.presentOther(author, site) : userPresenters.presentGhost(site),
    ...presentImportedAuthor(release.originalAuthor),
    assets: presentAssets(view, urls, site),
    archive_download_count: { zip: downloads.zip, tar_gz: downloads.tarGz },
  }
}

/**
 * Addresses of files contain the tag and the name, or the uuid if two files have the same name
 * (behaviour/repositories#releases).
 */
export function presentAssets({ release, assets }: ReleaseView, urls: RepoUrls, site: Site): Attachment[] {
  const isNamed = new Set(assets.map((asset) => asset.name)).size === assets.length
  const base = `${urls.html}/releases/download/${escapePath(release.tagName)}`
  return assets.map((asset) =>
    presentAttachment(asset, site, isNamed ? `${base}/${encodeURIComponent(asset.name)}` : undefined),
  )
}
