import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE, type Numbered, pagesOfSnapshot } from '../database/layout.ts'
import { fileTime } from '../file-time.ts'
import type { Destination } from '../destinations/directory-destination.ts'
import { listSeries, type Series } from '../restore/list-series.ts'
import { seal, unseal } from '../sealed-file.ts'
import { OBJECTS, versionsByUnit } from './states.ts'

interface Pruning {
  readonly destination: Destination
  readonly dataDir: string
  readonly clock: { now(): number }
  readonly days: number
  readonly signal: AbortSignal
}

const DAY_MS = 24 * 60 * 60_000
const DELETED_FILES = 'files/gone/'

/** Deletes files that no restore to a point in time of the last days needs. */
export async function prune(deps: Pruning): Promise<void> {
  const bound = deps.clock.now() - deps.days * DAY_MS
  await deps.destination.clean(deps.clock.now() - DAY_MS)
  await pruneDatabase(deps, bound)
  await pruneStates(deps, bound)
  await pruneObjects(deps, bound)
}

/** Retains the last snapshot before the bound and everything after it. */
async function pruneDatabase({ destination, signal }: Pruning, bound: number): Promise<void> {
  const all = await listSeries(destination)
  for (const name of await destination.folders(DATABASE))
    if (name < fileTime(bound) && all.every((series) => series.name !== name)) await removeAll(destination, name)
  const base = all.flatMap(({ snapshots }) => snapshots).findLast(({ time }) => time <= bound)
  if (base === undefined) return
  for (const series of all) {
    if (signal.aborted) return
    await (series.to < base.time ? removeAll(destination, series.name) : pruneSeries(destination, series, base.time))
  }
}

async function removeAll(destination: Destination, series: string): Promise<void> {
  for await (const { name } of destination.list(`${DATABASE}${series}/`)) await destination.remove(name)
}

/** Deletes everything before the snapshot of this time. */
async function pruneSeries(
  destination: Destination,
  { snapshots, segments, merged }: Series,
  time: number,
): Promise<void> {
  const first = snapshots.find((snapshot) => snapshot.time >= time)
  for (const snapshot of snapshots) {
    if (snapshot.time >= time) break
    await destination.remove(snapshot.name)
    await destination.remove(pagesOfSnapshot(snapshot.name))
  }
  for (const each of [segments, merged]) await pruneNumbered(destination, each, first)
}

async function pruneNumbered(
  destination: Destination,
  all: readonly Numbered[],
  first: Numbered | undefined,
): Promise<void> {
  for (const { name, number } of all) {
    if (first === undefined || number >= first.number) break
    await destination.remove(name)
  }
}

/** Retains the last whole version before the bound and everything after it. */
async function pruneStates({ destination, signal }: Pruning, bound: number): Promise<void> {
  for await (const versions of versionsByUnit(destination)) {
    if (signal.aborted) return
    const base = versions.findLastIndex(({ kind, time }) => kind === 'full' && time <= bound)
    for (const { name } of versions.slice(0, Math.max(0, base))) await destination.remove(name)
  }
}

/** Records which files were deleted from the data directory, and deletes those that were recorded before the bound. */
async function pruneObjects({ destination, dataDir, clock, signal }: Pruning, bound: number): Promise<void> {
  const deleted = new Set<string>()
  for await (const { name } of destination.list(OBJECTS)) {
    if (signal.aborted) return
    const isThere = await access(join(dataDir, name.slice(OBJECTS.length))).then(
      () => true,
      () => false,
    )
    if (!isThere) deleted.add(name)
  }
  for await (const { name: journal } of destination.list(DELETED_FILES)) {
    if (journal >= `${DELETED_FILES}${fileTime(bound)}`) break
    const { body } = unseal<object>(journal, await destination.get(journal))
    for (const name of body.toString('utf8').split('\n')) if (deleted.has(name)) await destination.remove(name)
    await destination.remove(journal)
  }
  const list = Buffer.from([...deleted].join('\n'))
  await destination.put(`${DELETED_FILES}${fileTime(clock.now())}.json`, seal({ format: 1 }, list).data)
}
