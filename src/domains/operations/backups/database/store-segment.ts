import type { Destination } from '../destinations/directory-destination.ts'
import { seal, type SealedFile } from '../sealed-file.ts'
import { compress, decompress, QUICK } from '../zstd.ts'
import { type SegmentHeader, segmentName } from './layout.ts'
import type { LogPart } from './read-log.ts'

/** A part of the log and its position in the series. */
export interface Segment {
  readonly part: LogPart
  readonly series: string
  readonly number: number
  readonly previous: string
  readonly since: number
  readonly until: number
}

export interface StoredSegment {
  readonly name: string
  readonly hash: string
}

export async function storeSegment(destination: Destination, segment: Segment): Promise<StoredSegment> {
  const { part, series, number, previous, since, until } = segment
  const pages = [...part.pages.keys()].toSorted((a, b) => a - b)
  const header: SegmentHeader = {
    format: 1,
    number,
    previous,
    since,
    until,
    page_size: part.pageSize,
    pages,
    pages_after: part.pagesAfter,
    from: part.from,
    to: part.to,
  }
  const { data, hash } = seal(header, await compressPages(part.pages, pages))
  const name = segmentName(series, number, until)
  await destination.put(name, data)
  return { name, hash }
}

/** Compresses the body of a segment. */
export const compressPages = (pages: ReadonlyMap<number, Buffer>, order: readonly number[]): Promise<Buffer> =>
  compress(Buffer.concat(order.map((page) => pages.get(page)!)), QUICK)

/** The pages with their numbers, starting at 1. */
export async function pagesOf({
  header,
  body,
}: SealedFile<Pick<SegmentHeader, 'page_size' | 'pages'>>): Promise<[number, Buffer][]> {
  const bytes = await decompress(body)
  return header.pages.map((page, index) => [
    page,
    bytes.subarray(index * header.page_size, (index + 1) * header.page_size),
  ])
}
