import { DATABASE, type Numbered, readName, segmentFolder, snapshotFolder } from '../database/layout.ts'
import type { Place } from '../places/place.ts'

/** A continuous part of the copy of a database. */
export interface Series {
  readonly name: string
  /** Complete ones, oldest first; at least one. */
  readonly snapshots: readonly Numbered[]
  /** By number. */
  readonly segments: readonly Numbered[]
  /** Epoch milliseconds: the first and the last moment that it has. */
  readonly from: number
  readonly to: number
}

/** The series of a copy with a snapshot, oldest first. The files are not read. */
export async function listSeries(place: Place): Promise<Series[]> {
  const all: Series[] = []
  for (const name of await place.folders(DATABASE)) {
    const snapshots = await listNumbered(place, snapshotFolder(name), '.json')
    if (snapshots.length === 0) continue
    const first = snapshots[0]!
    const segments = (await listNumbered(place, segmentFolder(name), '.pages')).filter(
      ({ number }) => number >= first.number,
    )
    const to = Math.max(snapshots.at(-1)!.time, segments.at(-1)?.time ?? 0)
    all.push({ name, snapshots, segments, from: first.time, to })
  }
  return all.toSorted((a, b) => a.from - b.from)
}

async function listNumbered(place: Place, folder: string, ending: '.json' | '.pages'): Promise<Numbered[]> {
  const found: Numbered[] = []
  for await (const { name } of place.list(folder)) {
    const numbered = readName(name, ending)
    if (numbered !== undefined) found.push(numbered)
  }
  return found
}
