import { fileTime, readFileTime } from '../file-time.ts'

/**
 * The copy of a database: `database/<series>/snapshots/<number>-<time>.json` beside its pages in `.db.zst`, and
 * `database/<series>/segments/<folder>/<number>-<time>.pages`. A series is continuous: each segment follows the one
 * before, and a snapshot with number n is the database before segment n.
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

const IN_FOLDER = 1000
const digits = (number: number): string => String(number).padStart(10, '0')

export const snapshotFolder = (series: string): string => `${DATABASE}${series}/snapshots/`
export const segmentFolder = (series: string): string => `${DATABASE}${series}/segments/`

export const snapshotName = (series: string, number: number, time: number): string =>
  `${snapshotFolder(series)}${digits(number)}-${fileTime(time)}.json`

export const pagesOfSnapshot = (name: string): string => name.replace(/\.json$/, '.db.zst')

export const segmentName = (series: string, number: number, until: number): string =>
  `${segmentFolder(series)}${digits(Math.floor(number / IN_FOLDER))}/${digits(number)}-${fileTime(until)}.pages`

/** Undefined for a name of another kind. */
export function readName(name: string, ending: '.json' | '.pages'): Numbered | undefined {
  const found = /(?<number>\d{10})-(?<time>\d{4}-[^/]*Z)(?<ending>\.[a-z]+)$/.exec(name)?.groups
  if (found?.['ending'] !== ending) return undefined
  return { name, number: Number(found['number']), time: readFileTime(found['time']!) }
}
