import type { RepoUrls } from '../../../core/access/repo-urls.ts'
import { contentDisposition } from '../../../core/platform/http/media-type.ts'
import type { ArchiveFile } from './archives.service.ts'

const CACHE = 'max-age=0, private, must-revalidate, no-transform'

/**
 * The headers of an archive, the same for GET and HEAD (behaviour/repositories#archives). The link is a permanent URL
 * of the same bytes.
 */
export function archiveHeaders(archive: ArchiveFile, urls: RepoUrls): Record<string, string> {
  const { commit, format } = archive
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': contentDisposition('attachment', archive.fileName),
    link: `<${urls.api}/archive/${commit}.${format}?rev=${commit}>; rel="immutable"`,
    etag: `"${archive.key.slice(0, 40)}"`,
    'last-modified': new Date(archive.committedAt * 1000).toUTCString(),
    'cache-control': CACHE,
    'x-content-type-options': 'nosniff',
    ...(archive.size !== undefined && { 'content-length': String(archive.size) }),
  }
}
