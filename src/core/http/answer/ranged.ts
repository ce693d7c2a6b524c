import type { Readable } from 'node:stream'
import { type ByteRange, etagMatches, requestedRange } from '../../platform/http/media-type.ts'
import { type ApiResponse, bytes, type ConditionalHeaders, notModified } from './answer.ts'

interface RangedFile {
  /** Bytes. */
  readonly size: number
  /** Undefined for a file that grows. */
  readonly etag?: string
  readonly headers: Readonly<Record<string, string>>
  open(range: ByteRange | undefined): Promise<Readable>
}

/**
 * The file, or the one range of it that the headers request: 206, or 416 if the range is outside of the file; 304 if
 * the client has the file.
 */
export async function rangedBytes(
  { size, etag, headers, open }: RangedFile,
  request: ConditionalHeaders,
): Promise<ApiResponse> {
  if (etag !== undefined && etagMatches(request['if-none-match'], etag)) return notModified(etag)
  const range = requestedRange(request, { size, ...(etag !== undefined && { etag }) })
  if (range === 'bad')
    return { status: 416, headers: { 'content-range': `bytes */${size}`, 'x-ingot-reason': 'range_not_satisfiable' } }
  const length = range === undefined ? size : range.end - range.start + 1
  const all = {
    ...headers,
    ...(etag !== undefined && { etag }),
    'accept-ranges': 'bytes',
    'content-length': String(length),
  }
  if (range === undefined) return bytes(await open(undefined), all)
  return bytes(await open(range), { ...all, 'content-range': `bytes ${range.start}-${range.end}/${size}` }, 206)
}
