import { cacheScope, type Viewer } from '../../../../core/access/viewer.ts'
import {
  type ByteRange,
  contentDisposition,
  contentType,
  etagMatches,
  SANDBOX_CSP,
  parseRange,
} from '../../../../core/platform/http/content.ts'
import type { RawFile } from './raw-files.service.ts'

interface RawRequest {
  readonly 'if-none-match'?: string | undefined
  readonly range?: string | undefined
}

/** The response to a request for a file. `window` is the range of bytes to send; undefined for none. */
interface RawResponse {
  readonly status: 200 | 206 | 304 | 416
  readonly headers: Readonly<Record<string, string>>
  readonly window: ByteRange | undefined
}

/**
 * Decides status and headers. Any text is sent as plain text, media with their type, other files as octet-stream
 * (behaviour/git-data-and-transport#raw-files-languages-and-archives).
 */
export function presentRawFile(file: RawFile, request: RawRequest, viewer: Viewer): RawResponse {
  const etag = `"${file.oid}"`
  const headers = { ...rawHeaders(file, viewer), etag }
  if (etagMatches(request['if-none-match'], etag)) return { status: 304, headers, window: undefined }
  const range = parseRange(request.range, file.size)
  if (range === 'bad')
    return {
      status: 416,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-range': `bytes */${file.size}` },
      window: undefined,
    }
  const window = range ?? { start: 0, end: file.size - 1 }
  const partial: Record<string, string> =
    range === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` }
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headers,
      ...partial,
      'accept-ranges': 'bytes',
      'content-length': String(window.end - window.start + 1),
    },
    window,
  }
}

function rawHeaders(file: RawFile, viewer: Viewer): Record<string, string> {
  const kind = file.isSymlink ? 'symlink' : 'file'
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  return {
    'content-type': contentType(name, file.head),
    'content-disposition': contentDisposition('inline', name),
    'content-security-policy': SANDBOX_CSP,
    'cache-control': `${cacheScope(viewer)}, max-age=21600, no-transform`,
    'x-gitea-object-type': kind,
    'x-forgejo-object-type': kind,
    ...(file.modified > 0 && { 'last-modified': new Date(file.modified * 1000).toUTCString() }),
  }
}
