import { fileTime, readFileTime } from '../file-time.ts'

/**
 * The copy of a database: `database/<series>/snapshots/<number>-<time>.json` with its pages in a `.db.zst` file of the
 * same name, and `database/<series>/segments/<folder>/<number>-<time>.pages`. A series is continuous: each segment
 * follows the previous one, and the snapshot with number n is the database before segment n.
 * `merged/<first>-<last>-<time>.pages` replaces the segments with these numbers; of these only the first may be the
 * number of a snapshot.
 */
export const DATABASE = 'database/'

/** The position up to which the log of the database was copied. */
export interface LogPosition {
  /** The salt of the log; empty for the beginning of the next log. */
  readonly salt: string
  /** The number of copied frames; 0 if there are none. */
  readonly frame: number
  /** The checksum of the last copied frame; empty if there is none. */
  readonly sum: string
}

export interface SegmentHeader {
  readonly format: 1
  readonly number: number
  /** Hash of the previous segment; empty for the first. */
  readonly previous: string
  /** Epoch milliseconds: every commit before it is in this segment or an earlier one. */
  readonly since: number
  /** Epoch milliseconds: no commit after it is in this segment. */
  readonly until: number
  readonly page_size: number
  /** Numbers of the pages in the body, which is compressed with zstd. */
  readonly pages: readonly number[]
  /** Size of the database after this segment, in pages. */
  readonly pages_after: number
  readonly from: LogPosition
  readonly to: LogPosition
}

/** The header of merged segments; the body has the format of a segment. */
export interface MergedHeader extends Pick<
  SegmentHeader,
  'format' | 'number' | 'page_size' | 'pages' | 'pages_after' | 'previous'
> {
  /** Number and hash of the last replaced segment; `number` and `previous` are those of the first. */
  readonly last: number
  readonly end: string
  /** The smallest size of the database after one of the segments, in pages: earlier pages beyond it were truncated. */
  readonly pages_least: number
}

export interface SnapshotHeader {
  readonly format: 1
  /** The number of the first segment after the snapshot. */
  readonly number: number
  /** Hash of the previous segment; empty if there is none. */
  readonly previous: string
  /** The time of its state, in epoch milliseconds. */
  readonly time: number
  /** Size of the database in bytes, and its SHA-256. */
  readonly size: number
  readonly sha256: string
}

export interface Numbered {
  readonly name: string
  readonly number: number
  /** Epoch milliseconds. */
  readonly time: number
}

/** Several segments in one file. */
export interface Merged extends Numbered {
  /** The number of the last segment; `number` is that of the first, `time` the end of the last. */
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

/** The common prefix of the names of a segment; sorts before these names and after those of earlier segments. */
export const segmentStart = (series: string, number: number): string =>
  `${segmentFolder(series)}${digits(Math.floor(number / IN_FOLDER))}/${digits(number)}`

export const segmentName = (series: string, number: number, until: number): string =>
  `${segmentStart(series, number)}-${fileTime(until)}.pages`

export const mergedName = (series: string, { number, last, time }: Omit<Merged, 'name'>): string =>
  `${mergedFolder(series)}${digits(number)}-${digits(last)}-${fileTime(time)}.pages`

/** Undefined for names of other files. */
export function readMergedName(name: string): Merged | undefined {
  const { number, last, time } = /\/(?<number>\d{10})-(?<last>\d{10})-(?<time>[^/]*Z)\.pages$/.exec(name)?.groups ?? {}
  if (number === undefined) return undefined
  return { name, number: Number(number), last: Number(last), time: readFileTime(time!) }
}

/** Undefined for names of other files. */
export function readName(name: string, ending: '.json' | '.pages'): Numbered | undefined {
  const found = /(?<number>\d{10})-(?<time>\d{4}-[^/]*Z)(?<ending>\.[a-z]+)$/.exec(name)?.groups
  if (found?.['ending'] !== ending) return undefined
  return { name, number: Number(found['number']), time: readFileTime(found['time']!) }
}
