import { type SealedFile, seal } from '../sealed-file.ts'
import type { Place } from '../places/place.ts'
import { type Merged, type MergedHeader, mergedName, type Numbered, type SegmentHeader } from './layout.ts'
import { compressPages, pagesOf } from './store-segment.ts'

/** Pages of a merged file: 16 MB, which is what merging keeps in memory, beside one segment. */
const MAX_PAGES = 4096

/** Segments of a series that become one file: the last state of each page. */
export class MergedRun {
  readonly #pages = new Map<number, Buffer>()
  readonly #first: SegmentHeader
  #last: SegmentHeader
  #end = ''
  #time = 0
  #least = Infinity
  #count = 0

  constructor(first: SegmentHeader) {
    this.#first = first
    this.#last = first
  }

  /** Whether the segment follows and its pages have room. */
  takes({ number, previous, page_size, pages }: SegmentHeader): boolean {
    if (this.#count === 0) return true
    const isNext = number === this.#last.number + 1 && previous === this.#end && page_size === this.#first.page_size
    const added = pages.reduce((sum, page) => sum + (this.#pages.has(page) ? 0 : 1), 0)
    return isNext && this.#pages.size + added <= MAX_PAGES
  }

  async add(read: SealedFile<SegmentHeader>, { time }: Numbered): Promise<void> {
    const { pages_after: after } = read.header
    // NOTE: a copy of each page, as a part of a buffer keeps all of it.
    for (const [page, bytes] of await pagesOf(read)) this.#pages.set(page, Buffer.from(bytes))
    if (after < this.#last.pages_after)
      for (const page of this.#pages.keys()) if (page > after) this.#pages.delete(page)
    this.#least = Math.min(this.#least, after)
    this.#last = read.header
    this.#end = read.hash
    this.#time = time
    this.#count++
  }

  /** Nothing is stored of a single segment. */
  async store(place: Place, series: string): Promise<void> {
    if (this.#count < 2) return
    const pages = [...this.#pages.keys()].toSorted((a, b) => a - b)
    const header: MergedHeader = {
      format: 1,
      number: this.#first.number,
      previous: this.#first.previous,
      last: this.#last.number,
      end: this.#end,
      page_size: this.#first.page_size,
      pages,
      pages_after: this.#last.pages_after,
      pages_least: this.#least,
    }
    const named: Omit<Merged, 'name'> = { number: header.number, last: header.last, time: this.#time }
    await place.put(mergedName(series, named), seal(header, await compressPages(this.#pages, pages)).data)
  }
}
