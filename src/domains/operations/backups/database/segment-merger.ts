import type { Clock } from '../../../../core/platform/clock.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { Destination } from '../destinations/directory-destination.ts'
import { listMerged, listSnapshots } from '../restore/list-series.ts'
import { unseal, type SealedFile, seal } from '../sealed-file.ts'
import type { CopyPosition } from './database-copier.ts'
import {
  DATABASE,
  type Merged,
  type MergedHeader,
  type Numbered,
  readName,
  type SegmentHeader,
  segmentFolder,
  segmentStart,
  mergedName,
} from './layout.ts'
import { compressPages, pagesOf } from './store-segment.ts'

/** Maximum number of pages of a merged file (16 MB), which merging holds in memory together with one segment. */
const MAX_PAGES = 4096

/** Segments of a series that are merged into one file: the last state of each page. */
class MergedRun {
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

  /** Whether the segment is the next one and its pages fit. */
  accepts({ number, previous, page_size, pages }: SegmentHeader): boolean {
    if (this.#count === 0) return true
    const isNext = number === this.#last.number + 1 && previous === this.#end && page_size === this.#first.page_size
    const added = pages.reduce((sum, page) => sum + (this.#pages.has(page) ? 0 : 1), 0)
    return isNext && this.#pages.size + added <= MAX_PAGES
  }

  async add(read: SealedFile<SegmentHeader>, { time }: Numbered): Promise<void> {
    const { pages_after: after } = read.header
    // NOTE: copies each page, because a slice would retain the whole buffer.
    for (const [page, bytes] of await pagesOf(read)) this.#pages.set(page, Buffer.from(bytes))
    if (after < this.#last.pages_after)
      for (const page of this.#pages.keys()) if (page > after) this.#pages.delete(page)
    this.#least = Math.min(this.#least, after)
    this.#last = read.header
    this.#end = read.hash
    this.#time = time
    this.#count++
  }

  /** Does nothing for a single segment. */
  async store(destination: Destination, series: string): Promise<void> {
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
    await destination.put(mergedName(series, named), seal(header, await compressPages(this.#pages, pages)).data)
  }
}

export interface SegmentMergerDeps {
  readonly destination: Destination
  readonly clock: Clock
  /** How long a merged segment is retained. */
  readonly exactMs: number
  /** The position of the copy; undefined before its start. */
  position(): CopyPosition | undefined
  /** Aborts a pass when the server stops. */
  readonly signal: AbortSignal
}

const HOUR_MS = 3_600_000
const hourOf = ({ time }: Numbered): number => Math.floor(time / HOUR_MS)

/**
 * Merges the segments of each past hour into one file, or several of 16 MB, and deletes the merged segments later. The
 * merged file is complete before the first segment is deleted, and segments are deleted from the last to the first, so
 * that every number is always in a file. The names at the destination show the progress: the next pass continues.
 */
export class SegmentMerger {
  readonly #deps: SegmentMergerDeps
  /** Series → the number up to which merging is done; file names do not show this for single segments. */
  readonly #done = new Map<string, number>()

  constructor(deps: SegmentMergerDeps) {
    this.#deps = deps
  }

  /** Runs one pass over all series. Throws when the destination is unavailable. */
  async merge(): Promise<void> {
    const { destination, signal, position } = this.#deps
    const all = await destination.folders(DATABASE)
    for (const series of this.#done.keys()) if (!all.includes(series)) this.#done.delete(series)
    for (const series of all) {
      const current = position()
      if (signal.aborted || current === undefined) return
      await this.#mergeSeries(series, current.series === series ? current : undefined)
      await this.#deleteMerged(series)
    }
  }

  async #mergeSeries(series: string, current: CopyPosition | undefined): Promise<void> {
    const { destination, signal } = this.#deps
    const merged = await listMerged(destination, series)
    const starts = new Set((await listSnapshots(destination, series)).map(({ number }) => number))
    if (current?.snapshot !== undefined) starts.add(current.snapshot)
    const after = Math.max(merged.at(-1)?.last ?? 0, this.#done.get(series) ?? 0)
    for await (const group of this.#groups({ series, after, starts, current })) {
      if (signal.aborted) return
      await this.#mergeGroup(series, group)
      this.#done.set(series, group.at(-1)!.number)
    }
  }

  /** The segments of each hour, split at snapshots. Excludes the last ones of the current series. */
  async *#groups({ series, after, starts, current }: Groups): AsyncGenerator<Numbered[], void, undefined> {
    let group: Numbered[] = []
    for await (const { name } of this.#deps.destination.list(segmentFolder(series), segmentStart(series, after + 1))) {
      const segment = readName(name, '.pages')
      if (segment === undefined) continue
      // NOTE: a later snapshot has this number or a higher one.
      if (current !== undefined && segment.number >= current.number) break
      const last = group.at(-1)
      const isNext = last === undefined || (segment.number === last.number + 1 && hourOf(segment) === hourOf(last))
      if (!isNext || (starts.has(segment.number) && group.length > 0)) {
        yield group
        group = []
      }
      group.push(segment)
    }
    if (current === undefined && group.length > 0) yield group
  }

  async #mergeGroup(series: string, group: readonly Numbered[]): Promise<void> {
    if (group.length < 2) return
    const { destination, signal } = this.#deps
    let run: MergedRun | undefined
    for (const segment of group) {
      if (signal.aborted) return
      const data = await destination.get(segment.name)
      const read = unsealed(segment.name, data)
      if (read !== undefined && run?.accepts(read.header) === true) {
        await run.add(read, segment)
        continue
      }
      await run?.store(destination, series)
      run = read && new MergedRun(read.header)
      if (read !== undefined) await run!.add(read, segment)
    }
    await run?.store(destination, series)
  }

  async #deleteMerged(series: string): Promise<void> {
    const { destination, clock, exactMs, signal } = this.#deps
    const bound = clock.now() - exactMs
    const old = (await listMerged(destination, series)).filter(({ time }) => time < bound)
    for await (const [merged, segments] of replacedOf(destination, series, old)) {
      const { header } = unseal<MergedHeader>(merged.name, await destination.get(merged.name))
      if (header.number !== merged.number || header.last !== merged.last)
        throw new Error(`${merged.name} has the segments ${header.number} to ${header.last}`)
      for (const { name } of segments.toReversed()) {
        if (signal.aborted) return
        await destination.remove(name)
      }
    }
  }
}

interface Groups {
  readonly series: string
  /** The pass starts after the segment of this number. */
  readonly after: number
  /** Numbers of snapshots. */
  readonly starts: ReadonlySet<number>
  readonly current: CopyPosition | undefined
}

/** Undefined for a missing or damaged segment: the surrounding ones are merged, and `restore` reports it. */
function unsealed(name: string, data: Buffer | undefined): SealedSegment | undefined {
  try {
    return unseal<SegmentHeader>(name, data)
  } catch (error) {
    if (!isDomainError(error, 'conflict')) throw error
    return undefined
  }
}

type SealedSegment = ReturnType<typeof unseal<SegmentHeader>>

/** Merged files with the segments that they replace and that still exist. */
async function* replacedOf(
  destination: Destination,
  series: string,
  old: readonly Merged[],
): AsyncGenerator<[Merged, Numbered[]], void, undefined> {
  let segments: Numbered[] = []
  let at = 0
  for await (const { name } of destination.list(segmentFolder(series))) {
    const segment = readName(name, '.pages')
    if (segment === undefined) continue
    while (at < old.length && old[at]!.last < segment.number) {
      if (segments.length > 0) yield [old[at]!, segments]
      segments = []
      at++
    }
    if (at === old.length) return
    if (segment.number >= old[at]!.number) segments.push(segment)
  }
  if (segments.length > 0) yield [old[at]!, segments]
}
