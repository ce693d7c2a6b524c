import { stat } from 'node:fs/promises'
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Place } from '../places/directory-place.ts'
import { unseal } from '../sealed-file.ts'
import { type LogPosition, type SegmentHeader, segmentFolder, snapshotFolder } from './layout.ts'

/** Where the copy is. It is kept beside the database, so that a start continues a series. */
export interface Bookmark {
  readonly series: string
  /** Of the next segment. */
  readonly number: number
  /** Hash and name of the last segment; empty for none. */
  readonly previous: string
  readonly name: string
  /** Epoch milliseconds of the last snapshot. */
  readonly snapshotAt: number
  readonly position: LogPosition
  /** The whole log up to the position is in the database: the next commit may begin a new log. */
  readonly restarts: boolean
  /** After an orderly stop: what the database file looked like. */
  readonly closed: string
}

interface Reading {
  readonly place: Place
  readonly bookmarkFile: string
  readonly databaseFile: string
}

/** Undefined where a new series has to begin. Throws when the place is away. */
export async function readBookmark({ place, bookmarkFile, databaseFile }: Reading): Promise<Bookmark | undefined> {
  const bookmark = parse(await readFile(bookmarkFile, 'utf8').catch(() => ''))
  if (bookmark === undefined) return undefined
  const { series, name } = bookmark
  const snapshots = await Array.fromAsync(place.list(snapshotFolder(series)))
  if (!snapshots.some((stored) => stored.name.endsWith('.json'))) return undefined
  const last = (await Array.fromAsync(place.list(segmentFolder(series), name))).at(-1)
  if (last !== undefined) {
    const { header, hash } = unseal<SegmentHeader>(last.name, await place.get(last.name))
    const next = { number: header.number + 1, previous: hash, name: last.name, position: header.to }
    return { ...bookmark, ...next, restarts: false, closed: '' }
  }
  const isUntouched = bookmark.closed !== '' && bookmark.closed === (await lookOf(databaseFile))
  return isUntouched ? { ...bookmark, position: { salt: '', frame: 0, sum: '' } } : bookmark
}

export async function writeBookmark(file: string, bookmark: Bookmark): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(bookmark), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Changes when the file is written. */
export async function lookOf(file: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(file, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

/** NOTE: a power cut may leave an empty file. */
function parse(text: string): Bookmark | undefined {
  try {
    return JSON.parse(text) as Bookmark
  } catch {
    return undefined
  }
}
