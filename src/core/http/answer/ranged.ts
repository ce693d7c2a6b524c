import type { Readable } from 'node:stream'
import { type ByteRange, parseRange } from '../../platform/http/media-type.ts'
import { type ApiResponse, bytes } from './answer.ts'

interface RangedFile {
  /** Bytes. */
  readonly size: number
  readonly headers: Readonly<Record<string, string>>
  open(range: ByteRange | undefined): Promise<Readable>
}

/** The file, or the one range of it that the header asks for: 206, or 416 when the file has no such bytes. */
export async function rangedBytes(
  { size, headers, open }: RangedFile,
  header: string | undefined,
): Promise<ApiResponse> {
  const range = parseRange(header, size)
  if (range === 'bad')
    return { status: 416, headers: { 'content-range': `bytes */${size}`, 'x-ingot-reason': 'range_not_satisfiable' } }
  const length = range === undefined ? size : range.end - range.start + 1
  const all = { ...headers, 'accept-ranges': 'bytes', 'content-length': String(length) }
  if (range === undefined) return bytes(await open(undefined), all)
  return bytes(await open(range), { ...all, 'content-range': `bytes ${range.start}-${range.end}/${size}` }, 206)
}
