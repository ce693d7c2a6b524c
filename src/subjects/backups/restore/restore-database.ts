import { createHash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { conflict, notFound } from '../../../platform/errors.ts'
import { type Numbered, pagesOfSnapshot, type SegmentHeader, type SnapshotHeader } from '../database/layout.ts'
import { pagesOf } from '../database/store-segment.ts'
import type { Place } from '../places/place.ts'
import { type SealedFile, unseal } from '../sealed-file.ts'
import { listSeries, type Series } from './list-moments.ts'

export interface RestoredDatabase {
  /** Epoch milliseconds: what was committed until then is there, and nothing later. */
  readonly moment: number
  /** Epoch milliseconds: where the copy goes on after a gap, if the wanted moment is behind `moment` for that. */
  readonly gapUntil: number | undefined
  readonly segments: number
}

export interface DatabaseRestore {
  readonly place: Place
  /** Epoch milliseconds; Infinity for the newest. */
  readonly at: number
  /** The new file. */
  readonly file: string
  progress(text: string): void
}

/** RFC 3339 with milliseconds, as `--at` takes it. */
export const momentText = (time: number): string => new Date(time).toISOString()

/**
 * Makes the database of a moment from the last snapshot before it and the segments behind that. Throws NotFound when
 * nothing was copied by then, and Conflict when a file is missing or damaged; the text names it and the last moment
 * before it.
 */
export async function restoreDatabase({ place, at, file, progress }: DatabaseRestore): Promise<RestoredDatabase> {
  const all = await listSeries(place)
  const { series, snapshot } = choose(all, at)
  const segments = series.segments.filter(({ number, time }) => number >= snapshot.number && time <= at)
  progress(`database: snapshot of ${momentText(snapshot.time)}, ${segments.length} segments`)
  const handle = await open(file, 'wx', 0o600)
  try {
    const header = unseal<SnapshotHeader>(snapshot.name, await place.get(snapshot.name)).header
    await writeSnapshot(place, { snapshot, header, file, handle })
    const moment = await applyAll(place, { handle, header, segments, progress })
    await handle.sync()
    const next = all.find(({ from }) => from > series.to)
    return { moment, gapUntil: at > series.to ? next?.from : undefined, segments: segments.length }
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
      : `nothing was copied by then: the first moment is ${momentText(all[0]!.from)}`,
  )
}

interface SnapshotWrite {
  readonly snapshot: Numbered
  readonly header: SnapshotHeader
  readonly file: string
  readonly handle: FileHandle
}

async function writeSnapshot(place: Place, { snapshot, header, handle }: SnapshotWrite): Promise<void> {
  const name = pagesOfSnapshot(snapshot.name)
  const source = await place.open(name)
  if (source === undefined) throw conflict(`${name} is missing: try a moment before ${momentText(snapshot.time)}`)
  const sum = createHash('sha256')
  let size = 0
  const write = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      sum.update(chunk)
      await handle.write(chunk, 0, chunk.length, size)
      size += chunk.length
    }
  }
  const failure = await pipeline(source, createZstdDecompress(), write).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  )
  if (failure !== undefined && !failure.code?.startsWith('Z')) throw failure
  if (failure === undefined && size === header.size && sum.digest('hex') === header.sha256) return
  throw conflict(`${name} is damaged: try a moment before ${momentText(snapshot.time)}`)
}

interface Application {
  readonly handle: FileHandle
  readonly header: SnapshotHeader
  readonly segments: readonly Numbered[]
  progress(text: string): void
}

/** Gives the moment of the last segment. */
async function applyAll(place: Place, { handle, header, segments, progress }: Application): Promise<number> {
  let previous = header.previous
  let moment = header.time
  let number = header.number
  for (const [index, segment] of segments.entries()) {
    try {
      if (segment.number !== number) throw conflict(`segment ${number} before ${segment.name} is missing`)
      const read = unseal<SegmentHeader>(segment.name, await place.get(segment.name))
      if (read.header.number !== number || read.header.previous !== previous)
        throw conflict(`${segment.name} does not follow the segment before it`)
      await apply(handle, read)
      previous = read.hash
    } catch (error) {
      throw conflict(
        `${(error as Error).message}. The last moment before it is ${momentText(moment)}: restore with --at ${momentText(moment)}`,
      )
    }
    moment = segment.time
    number++
    if ((index + 1) % 100 === 0)
      progress(`database: ${index + 1} of ${segments.length} segments, ${momentText(moment)}`)
  }
  return moment
}

async function apply(handle: FileHandle, read: SealedFile<SegmentHeader>): Promise<void> {
  const { page_size: pageSize, pages_after: pagesAfter } = read.header
  for (const [page, bytes] of await pagesOf(read)) await handle.write(bytes, 0, pageSize, (page - 1) * pageSize)
  await handle.truncate(pagesAfter * pageSize)
}
