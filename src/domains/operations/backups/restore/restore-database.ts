import { createHash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { conflict, isDomainError, notFound } from '../../../../core/platform/errors.ts'
import {
  type MergedHeader,
  type Numbered,
  pagesOfSnapshot,
  type SegmentHeader,
  type SnapshotHeader,
} from '../database/layout.ts'
import { pagesOf } from '../database/store-segment.ts'
import type { Destination } from '../destinations/directory-destination.ts'
import { type SealedFile, unseal } from '../sealed-file.ts'
import { listSeries, type Series } from './list-series.ts'

export interface RestoredDatabase {
  /** Epoch milliseconds: the database contains all commits until this time, and none after it. */
  readonly time: number
  /** Epoch milliseconds: where the copy continues after a gap, if the requested time is in that gap. */
  readonly gapUntil: number | undefined
  /** Number of segment files that were read. */
  readonly segments: number
}

export interface DatabaseRestore {
  readonly destination: Destination
  /** Epoch milliseconds; Infinity for the newest state. */
  readonly at: number
  /** The path of the new file. */
  readonly file: string
  progress(text: string): void
}

/** RFC 3339 with milliseconds, the format of `--at`. */
export const timeText = (time: number): string => new Date(time).toISOString()

/**
 * Restores the database to a point in time from the last snapshot before it and the segments after that. Throws
 * NotFound when there is no copy from before that time, and Conflict when a file is missing or damaged; the message
 * names it and the last point in time before it.
 */
export async function restoreDatabase({ destination, at, file, progress }: DatabaseRestore): Promise<RestoredDatabase> {
  const all = await listSeries(destination)
  const { series, snapshot } = choose(all, at)
  progress(`database: snapshot of ${timeText(snapshot.time)}`)
  const handle = await open(file, 'wx', 0o600)
  try {
    const header = unseal<SnapshotHeader>(snapshot.name, await destination.get(snapshot.name)).header
    await writeSnapshot(destination, { snapshot, header, file, handle })
    const { time, segments } = await applyAll(destination, { handle, header, series, at, progress })
    await handle.sync()
    const next = all.find(({ from }) => from > series.to)
    return { time, gapUntil: at > series.to ? next?.from : undefined, segments }
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

function choose(all: readonly Series[], at: number): { series: Series; snapshot: Numbered } {
  const candidates = all.flatMap((series) =>
    series.snapshots.filter(({ time }) => time <= at).map((snapshot) => ({ series, snapshot })),
  )
  const chosen = candidates.toSorted((a, b) => b.snapshot.time - a.snapshot.time)[0]
  if (chosen !== undefined) return chosen
  throw notFound(
    all.length === 0
      ? 'there is no complete copy of a database'
      : `nothing was copied by then: the copy begins at ${timeText(all[0]!.from)}`,
  )
}

interface SnapshotWrite {
  readonly snapshot: Numbered
  readonly header: SnapshotHeader
  readonly file: string
  readonly handle: FileHandle
}

async function writeSnapshot(destination: Destination, { snapshot, header, handle }: SnapshotWrite): Promise<void> {
  const name = pagesOfSnapshot(snapshot.name)
  const source = await destination.open(name)
  if (source === undefined) throw conflict(`${name} is missing: try a time before ${timeText(snapshot.time)}`)
  const sum = createHash('sha256')
  let size = 0
  const write = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      sum.update(chunk)
      await writeAll(handle, chunk, size)
      size += chunk.length
    }
  }
  const failure = await pipeline(source, createZstdDecompress(), write).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  )
  if (failure !== undefined && !failure.code?.startsWith('Z')) throw failure
  if (failure === undefined && size === header.size && sum.digest('hex') === header.sha256) return
  throw conflict(`${name} is damaged: try a time before ${timeText(snapshot.time)}`)
}

interface Application {
  readonly handle: FileHandle
  readonly header: SnapshotHeader
  readonly series: Series
  readonly at: number
  progress(text: string): void
}

/** The progress of the restore. */
interface State {
  /** The number of the next segment. */
  readonly number: number
  /** Hash of the previous segment. */
  readonly previous: string
  /** The end of the last segment, in epoch milliseconds. */
  readonly time: number
}

/** Applies the segments up to the requested time; returns the end of the last segment and the number of files read. */
async function applyAll(
  destination: Destination,
  { handle, header, series, at, progress }: Application,
): Promise<{ time: number; segments: number }> {
  let state: State = { number: header.number, previous: header.previous, time: header.time }
  const find = findSegments(series, at)
  for (let segments = 0; ; segments++) {
    try {
      const files = find(state.number)
      if (files.length === 0) return { time: state.time, segments }
      state = await applyFirst(destination, { handle, state, files })
    } catch (error) {
      const last = timeText(state.time)
      throw conflict(
        `${(error as Error).message}. The last point in time before it is ${last}: restore with --at ${last}`,
      )
    }
    if ((segments + 1) % 100 === 0) progress(`database: ${segments + 1} segments, ${timeText(state.time)}`)
  }
}

/**
 * The files that begin with a segment, longest first. Throws Conflict when one is missing before the requested time.
 */
function findSegments({ segments, merged }: Series, at: number): (number: number) => readonly Numbered[] {
  const starts = Map.groupBy([...merged, ...segments], ({ number }) => number)
  const wanted = [...merged, ...segments].filter(({ time }) => time <= at).toSorted((a, b) => a.number - b.number)
  return (number) => {
    const files = starts.get(number)
    if (files !== undefined) return files.filter(({ time }) => time <= at)
    const next = wanted.find((file) => file.number > number)
    if (next !== undefined) throw conflict(`segment ${number} before ${next.name} is missing`)
    return []
  }
}

interface Step {
  readonly handle: FileHandle
  readonly state: State
  readonly files: readonly Numbered[]
}

/** Applies the first undamaged file. Throws Conflict, about the last one, when all are damaged. */
async function applyFirst(destination: Destination, { handle, state, files }: Step): Promise<State> {
  const [file, ...others] = files
  const read = await readAfter(destination, state, file!).catch((error: unknown) => {
    if (others.length === 0 || !isDomainError(error, 'conflict')) throw error
    return undefined
  })
  if (read === undefined) return applyFirst(destination, { handle, state, files: others })
  await apply(handle, read)
  const { header } = read
  return 'last' in header
    ? { number: header.last + 1, previous: header.end, time: file!.time }
    : { number: header.number + 1, previous: read.hash, time: file!.time }
}

async function readAfter(destination: Destination, state: State, { name }: Numbered): Promise<SealedFile<AnyHeader>> {
  const read = unseal<AnyHeader>(name, await destination.get(name))
  if (read.header.number !== state.number || read.header.previous !== state.previous)
    throw conflict(`${name} does not follow the segment before it`)
  return read
}

type AnyHeader = SegmentHeader | MergedHeader

async function apply(handle: FileHandle, read: SealedFile<AnyHeader>): Promise<void> {
  const { header } = read
  const { page_size: pageSize, pages_after: pagesAfter } = header
  if ('pages_least' in header && header.pages_least * pageSize < (await handle.stat()).size)
    await handle.truncate(header.pages_least * pageSize)
  for (const [page, bytes] of await pagesOf(read)) await writeAll(handle, bytes, (page - 1) * pageSize)
  await handle.truncate(pagesAfter * pageSize)
}

/** Repeats writes, because a single one may be short. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}
