import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import type { Destination } from '../destinations/directory-destination.ts'
import { unseal } from '../sealed-file.ts'
import { type LogPosition, type SegmentHeader, segmentFolder, snapshotFolder } from './layout.ts'

/** The position of the copy. It is stored next to the database, so that a new process continues the series. */
export interface Bookmark {
  readonly series: string
  /** The number of the next segment. */
  readonly number: number
  /** Hash and name of the last segment; empty before the first. */
  readonly previous: string
  readonly name: string
  /** Epoch milliseconds of the last snapshot. */
  readonly snapshotAt: number
  readonly position: LogPosition
  /** The whole log up to the position has been checkpointed: the next commit may restart the log. */
  readonly restarts: boolean
  /** After an orderly stop: inode, size and time of the database file. */
  readonly closed: string
}

interface Reading {
  readonly destination: Destination
  readonly bookmarkFile: string
  readonly databaseFile: string
}

/** Undefined when a new series must begin. Throws when the destination is unavailable. */
export async function readBookmark({
  destination,
  bookmarkFile,
  databaseFile,
}: Reading): Promise<Bookmark | undefined> {
  const bookmark = parse(await readFile(bookmarkFile, 'utf8').catch(() => ''))
  if (bookmark === undefined) return undefined
  const { series, name } = bookmark
  const snapshots = await Array.fromAsync(destination.list(snapshotFolder(series)))
  if (!snapshots.some((stored) => stored.name.endsWith('.json'))) return undefined
  const last = (await Array.fromAsync(destination.list(segmentFolder(series), name))).at(-1)
  if (last !== undefined) {
    const { header, hash } = unseal<SegmentHeader>(last.name, await destination.get(last.name))
    const next = { number: header.number + 1, previous: hash, name: last.name, position: header.to }
    return { ...bookmark, ...next, restarts: false, closed: '' }
  }
  const isUnmodified = bookmark.closed !== '' && bookmark.closed === (await fileSignature(databaseFile))
  return isUnmodified ? { ...bookmark, position: { salt: '', frame: 0, sum: '' } } : bookmark
}

export async function writeBookmark(file: string, bookmark: Bookmark): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(bookmark), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** A value that changes when the file is written. */
export async function fileSignature(file: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(file, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

/** NOTE: a power failure may leave an empty file. */
function parse(text: string): Bookmark | undefined {
  try {
    return JSON.parse(text) as Bookmark
  } catch {
    return undefined
  }
}
