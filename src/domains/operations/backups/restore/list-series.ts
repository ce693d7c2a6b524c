import {
  DATABASE,
  type Merged,
  mergedFolder,
  type Numbered,
  readMergedName,
  readName,
  segmentFolder,
  snapshotFolder,
} from '../database/layout.ts'
import type { Destination } from '../destinations/directory-destination.ts'

/** A continuous part of the copy of a database. */
export interface Series {
  readonly name: string
  /** Complete snapshots, oldest first; at least one. */
  readonly snapshots: readonly Numbered[]
  /** Ordered by number; merged ones may be deleted. */
  readonly segments: readonly Numbered[]
  /** Ordered by number. */
  readonly merged: readonly Merged[]
  /** Epoch milliseconds: the first and the last point in time that can be restored. */
  readonly from: number
  readonly to: number
}

/** The series of a copy with a snapshot, oldest first. Reads only names, not contents. */
export async function listSeries(destination: Destination): Promise<Series[]> {
  const all: Series[] = []
  for (const name of await destination.folders(DATABASE)) {
    const snapshots = await listSnapshots(destination, name)
    if (snapshots.length === 0) continue
    const first = snapshots[0]!
    const segments = (await listNumbered(destination, segmentFolder(name), '.pages')).filter(
      ({ number }) => number >= first.number,
    )
    const merged = (await listMerged(destination, name)).filter(({ number }) => number >= first.number)
    const to = Math.max(snapshots.at(-1)!.time, segments.at(-1)?.time ?? 0, merged.at(-1)?.time ?? 0)
    all.push({ name, snapshots, segments, merged, from: first.time, to })
  }
  return all.toSorted((a, b) => a.from - b.from)
}

/** Ordered by number. */
export async function listMerged(destination: Destination, series: string): Promise<Merged[]> {
  const found: Merged[] = []
  for await (const { name } of destination.list(mergedFolder(series))) {
    const merged = readMergedName(name)
    if (merged !== undefined) found.push(merged)
  }
  return found
}

export async function listSnapshots(destination: Destination, series: string): Promise<Numbered[]> {
  return listNumbered(destination, snapshotFolder(series), '.json')
}

async function listNumbered(destination: Destination, folder: string, ending: '.json' | '.pages'): Promise<Numbered[]> {
  const found: Numbered[] = []
  for await (const { name } of destination.list(folder)) {
    const numbered = readName(name, ending)
    if (numbered !== undefined) found.push(numbered)
  }
  return found
}
