import { fileTime, readFileTime } from '../file-time.ts'

/**
 * The copy of a database: `database/<series>/snapshots/<number>-<time>.json` beside its pages in `.db.zst`, and
 * `database/<series>/segments/<folder>/<number>-<time>.pages`. A series is continuous: each segment follows the one
 * before, and a snapshot with number n is the database before segment n. `merged/<first>-<last>-<time>.pages` replaces
 * the segments with these numbers, none of which is that of a snapshot but the first.
 */
export const DATABASE = 'database/'

/** Where the log of the database was copied to. */
export interface LogPosition {
  /** Of the log; empty for the beginning of the next one. */
  readonly salt: string
  /** Frames that were copied; 0 for none. */
  readonly frame: number
  /** Of the last of them; empty for none. */
  readonly sum: string
}

export interface SegmentHeader {
  readonly format: 1
  readonly number: number
  /** Hash of the segment before; empty for the first. */
  readonly previous: string
  /** Epoch milliseconds: every commit before it is in this segment or an earlier one. */
  readonly since: number
  /** Epoch milliseconds: no commit after it is in this segment. */
  readonly until: number
  readonly page_size: number
  /** Numbers of the pages in the body, which is compressed with zstd. */
  readonly pages: readonly number[]
  /** Pages of the database after this segment. */
  readonly pages_after: number
  readonly from: LogPosition
  readonly to: LogPosition
}

/** Of segments that were merged; the body is that of a segment. */
export interface MergedHeader extends Pick<
  SegmentHeader,
  'format' | 'number' | 'page_size' | 'pages' | 'pages_after' | 'previous'
> {
  /** Number and hash of the last segment that it replaces; `number` and `previous` are those of the first. */
  readonly last: number
  readonly end: string
  /** The fewest pages that the database had after one of the segments: what was behind them before is gone. */
  readonly pages_least: number
}

export interface SnapshotHeader {
  readonly format: 1
  /** Of the first segment after it. */
  readonly number: number
  /** Hash of the segment before; empty for none. */
  readonly previous: string
  /** Epoch milliseconds of its state. */
  readonly time: number
  /** Bytes of the database, and their SHA-256. */
  readonly size: number
  readonly sha256: string
}

export interface Numbered {
  readonly name: string
  readonly number: number
  /** Epoch milliseconds. */
  readonly time: number
}

/** Segments in one file. */
export interface Merged extends Numbered {
  /** Of the last segment; `number` is that of the first, `time` the end of the last. */
  readonly last: number
}

const IN_FOLDER = 1000
const digits = (number: number): string => String(number).padStart(10, '0')

export const snapshotFolder = (series: string): string => `${DATABASE}${series}/snapshots/`
export const segmentFolder = (series: string): string => `${DATABASE}${series}/segments/`

export const mergedFolder = (series: string): string => `${DATABASE}${series}/merged/`

export const snapshotName = (series: string, number: number, time: number): string =>
  `${snapshotFolder(series)}${digits(number)}-${fileTime(time)}.json`

export const pagesOfSnapshot = (name: string): string => name.replace(/\.json$/, '.db.zst')

/** What the names of a segment begin with; it sorts before them and behind those of earlier segments. */
export const segmentStart = (series: string, number: number): string =>
  `${segmentFolder(series)}${digits(Math.floor(number / IN_FOLDER))}/${digits(number)}`

export const segmentName = (series: string, number: number, until: number): string =>
  `${segmentStart(series, number)}-${fileTime(until)}.pages`

export const mergedName = (series: string, { number, last, time }: Omit<Merged, 'name'>): string =>
  `${mergedFolder(series)}${digits(number)}-${digits(last)}-${fileTime(time)}.pages`

/** Undefined for a name of another kind. */
export function readMergedName(name: string): Merged | undefined {
  const { number, last, time } = /\/(?<number>\d{10})-(?<last>\d{10})-(?<time>[^/]*Z)\.pages$/.exec(name)?.groups ?? {}
  if (number === undefined) return undefined
  return { name, number: Number(number), last: Number(last), time: readFileTime(time!) }
}

/** Undefined for a name of another kind. */
export function readName(name: string, ending: '.json' | '.pages'): Numbered | undefined {
  const found = /(?<number>\d{10})-(?<time>\d{4}-[^/]*Z)(?<ending>\.[a-z]+)$/.exec(name)?.groups
  if (found?.['ending'] !== ending) return undefined
  return { name, number: Number(found['number']), time: readFileTime(found['time']!) }
}
