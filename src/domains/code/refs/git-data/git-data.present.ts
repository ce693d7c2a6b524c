import type { RepoUrls } from '../../../../core/access/repo-urls.ts'
import { ZERO_TIME } from '../../../../core/platform/clock.ts'
import { commitUtcTime, presentVerification } from '../../history/commit.present.ts'
import type { GitBlobResponse, GitTreeResponse, Reference } from './git-data.model.ts'
import type { AnnotatedTagView, BlobView, RefView, TreeView } from './git-data.service.ts'
import type { AnnotatedTag } from '../tags/tag.model.ts'

export function presentReference({ name, oid, type }: RefView, urls: RepoUrls): Reference {
  return {
    ref: name,
    url: `${urls.api}/git/${name}`,
    object: { type, sha: oid, url: `${urls.api}/git/${type}s/${oid}` },
  }
}

export function presentTree(tree: TreeView, urls: RepoUrls): GitTreeResponse {
  const address = (type: string, oid: string): string => (type === 'commit' ? '' : `${urls.api}/git/${type}s/${oid}`)
  return {
    sha: tree.oid,
    url: `${urls.api}/git/trees/${tree.oid}`,
    tree: tree.items.map(({ path, mode, type, size, oid }) => ({
      path,
      mode,
      type,
      size,
      sha: oid,
      url: address(type, oid),
    })),
    truncated: tree.hasMore,
    page: tree.page,
    total_count: tree.total,
  }
}

export function presentBlob({ oid, size, content, lfs }: BlobView, urls: RepoUrls): GitBlobResponse {
  return {
    content: content?.toString('base64') ?? null,
    encoding: content ? 'base64' : null,
    url: `${urls.api}/git/blobs/${oid}`,
    sha: oid,
    size,
    ...(lfs && { lfs_oid: lfs.oid, lfs_size: lfs.size }),
  }
}

export function presentAnnotatedTag({ tag, verification, downloads }: AnnotatedTagView, urls: RepoUrls): AnnotatedTag {
  const { tagger } = tag
  return {
    tag: tag.name,
    sha: tag.oid,
    url: `${urls.api}/git/tags/${tag.oid}`,
    message: tag.message,
    tagger: { name: tagger?.name ?? '', email: tagger?.email ?? '', date: tagger ? commitUtcTime(tagger) : ZERO_TIME },
    object: { type: tag.type, url: `${urls.api}/git/${tag.type}s/${tag.object}`, sha: tag.object },
    verification: presentVerification(verification),
    archive_download_count: { zip: downloads.zip, tar_gz: downloads.tarGz },
  }
}
