import { relative, join, dirname } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../../../core/db/database.ts'
import type { Git } from '../../../../core/git/index.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { seal } from '../sealed-file.ts'
import { lastEventId, listChangedStorages } from './changed-repos.store.ts'
import {
  COVERED,
  OBJECTS,
  type KnownState,
  listVersions,
  readVersions,
  storeVersion,
  DATA_DIR,
  listUnits,
  entriesOf,
  listObjects,
  readState,
  type State,
  type Unit,
} from './states.ts'
import { prune } from './prune.ts'
import { stat, readFile } from 'node:fs/promises'
import { ifMissing } from '../../../../core/platform/files/missing.ts'
import { createReadStream } from 'node:fs'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { Destination } from '../destinations/directory-destination.ts'

interface UnitCopy {
  readonly destination: Destination
  readonly dataDir: string
  readonly clock: Clock
}

/** The copied states of recently copied units, by path. */
interface KnownStates {
  get(path: string): KnownState | undefined
  set(path: string, known: KnownState): unknown
  delete(path: string): unknown
}

const WHOLE = 8 * 1024 * 1024
const ROUNDS = 5

/**
 * Copies missing objects and then the state, which was read before them, so that the objects of all copied refs are
 * copied, too.
 */
async function copyUnit(deps: UnitCopy, unit: Unit, cache: KnownStates): Promise<void> {
  const { destination, dataDir, clock } = deps
  const state = await readState(dataDir, unit)
  const until = clock.now()
  const pool = poolOf(unit, state)
  if (pool !== undefined) await copyUnit(deps, pool, cache)
  await copyObjects(deps, unit)
  const known = cache.get(unit.path) ?? (await readVersions(destination, await listVersions(destination, unit.path)))
  cache.delete(unit.path)
  cache.set(unit.path, await storeVersion(destination, { unit: unit.path, until, state, known }))
}

/** The object pool of a fork. */
function poolOf({ path }: Unit, state: State): Unit | undefined {
  const line = state.get('objects/info/alternates')?.split('\n')[0]
  return line === undefined || line === ''
    ? undefined
    : { path: dirname(join(path, 'objects', line)), hasObjects: true }
}

async function copyObjects(deps: UnitCopy, unit: Unit): Promise<void> {
  if (!unit.hasObjects) return
  const folder = `${OBJECTS}${unit.path}/`
  const sizes = new Map<string, number>()
  for await (const { name, size } of deps.destination.list(folder)) sizes.set(name.slice(folder.length), size)
  // NOTE: a file that a concurrent repack deletes has a successor, which another round finds.
  for (let round = 0; round < ROUNDS; round++) {
    let isComplete = true
    for (const path of await listObjects(deps.dataDir, unit)) {
      if (sizes.has(path)) continue
      const size = await copyFile(deps, `${unit.path}/${path}`)
      if (size === undefined) isComplete = false
      else sizes.set(path, size)
    }
    if (isComplete) return
  }
  throw new Error(`${unit.path} changed all the time`)
}

/**
 * Copies an immutable file; returns its size, undefined when it was deleted. `path` is relative to the data directory.
 */
async function copyFile({ destination, dataDir }: UnitCopy, path: string): Promise<number | undefined> {
  const file = join(dataDir, path)
  const found = await stat(file).catch(ifMissing(undefined))
  if (found === undefined) return undefined
  const name = `${OBJECTS}${path}`
  if (found.size <= WHOLE) {
    const content = await readFile(file).catch(ifMissing(undefined))
    if (content === undefined) return undefined
    await destination.put(name, content)
  } else {
    const source = createReadStream(file)
    try {
      await destination.putStream(name, source, found.size)
    } catch (error) {
      return ifMissing(undefined)(error as NodeJS.ErrnoException)
    }
  }
  return found.size
}

const SHARD = /^[0-9a-f]{2}$/
const HASH = /^[0-9a-f]{64}$/
/** A directory with a younger modification time may change again within the resolution of that time. */
const YOUNG_MS = 2_000

/** Copies the missing blobs of the data directory. Lists only directories that have changed. */
class BlobCopier {
  readonly #deps: UnitCopy
  /** Directory → its modification time when it was completely copied. */
  readonly #seen = new Map<string, number>()

  constructor(deps: UnitCopy) {
    this.#deps = deps
  }

  /** Forces the next pass to list all directories. */
  forget(): void {
    this.#seen.clear()
  }

  async copy(): Promise<void> {
    const { dataDir } = this.#deps
    for (const store of await entriesOf(join(dataDir, 'blobs')))
      for (const first of await entriesOf(join(dataDir, 'blobs', store.name))) {
        if (!SHARD.test(first.name)) continue
        const parent = `blobs/${store.name}/${first.name}`
        for (const second of await entriesOf(join(dataDir, parent)))
          if (SHARD.test(second.name)) await this.#copyFolder(`${parent}/${second.name}`)
      }
  }

  async #copyFolder(path: string): Promise<void> {
    const { dataDir, clock, destination } = this.#deps
    const now = clock.now()
    const time = (await stat(join(dataDir, path)).catch(ifMissing(undefined)))?.mtimeMs
    if (time === undefined || this.#seen.get(path) === time) return
    const there = new Set<string>()
    for await (const { name } of destination.list(`${OBJECTS}${path}/`)) there.add(name.split('/').at(-1)!)
    for (const { name } of await entriesOf(join(dataDir, path)))
      if (HASH.test(name) && !there.has(name)) await copyFile(this.#deps, `${path}/${name}`)
    if (now - time > YOUNG_MS) this.#seen.set(path, time)
  }
}

export interface FilesCopierDeps extends UnitCopy {
  readonly database: Database
  readonly git: Pick<Git, 'path' | 'repoExists'>
  /** The number of days that can be restored. */
  readonly days: number
  /** Aborts a long pass when the server stops. */
  readonly signal: AbortSignal
}

/** The interval between passes over all repositories, which find changes without an event. */
const FULL_PASS_MS = 60 * 60_000
const DAY_MS = 24 * FULL_PASS_MS
const COVER_MS = 60_000
/** Maximum characters of cached states: refs and settings of repositories. */
const MAX_KNOWN = 16_000_000

/** Copies repositories with events, new blobs, and the keys in the data directory. */
export class FilesCopier {
  readonly #deps: FilesCopierDeps
  readonly #blobs: BlobCopier
  readonly #known = new LRUCache<string, KnownState>({ maxSize: MAX_KNOWN, sizeCalculation: sizeOf })
  #fullPassAt = 0
  #prunedAt = 0
  #coveredAt = 0
  /** NOTE: PostgreSQL may show events after those with higher ids, so each range is read twice. */
  #after: readonly [earlier: number, last: number] = [0, 0]

  constructor(deps: FilesCopierDeps) {
    this.#deps = deps
    this.#blobs = new BlobCopier(deps)
  }

  async copy(): Promise<boolean> {
    try {
      return await this.#copy()
    } catch (error) {
      if (isDomainError(error, 'conflict')) this.#forget()
      throw error
    }
  }

  /** NOTE: another process may have written other versions while it owned the destination. */
  #forget(): void {
    this.#known.clear()
    this.#blobs.forget()
    this.#fullPassAt = 0
  }

  async #copy(): Promise<boolean> {
    const { clock, database, destination, signal } = this.#deps
    const begun = clock.now()
    const last = await lastEventId(database.read)
    const isFull = begun - this.#fullPassAt >= FULL_PASS_MS
    const changed = isFull ? 0 : await this.#copyChanged()
    if (isFull && !(await this.#copyAll())) return false
    await copyUnit(this.#deps, DATA_DIR, this.#known)
    await this.#blobs.copy()
    if (signal.aborted) return false
    this.#after = [this.#after[1], last]
    if (isFull) this.#fullPassAt = begun
    if (isFull || changed > 0 || begun - this.#coveredAt >= COVER_MS) {
      await destination.put(COVERED, seal({ format: 1, until: begun }).data)
      this.#coveredAt = begun
    }
    if (begun - this.#prunedAt >= DAY_MS) {
      await prune(this.#deps)
      this.#prunedAt = begun
    }
    return false
  }

  async #copyChanged(): Promise<number> {
    const { database, dataDir, git } = this.#deps
    const storages = await listChangedStorages(database.read, this.#after[0])
    for (const storage of storages.flatMap((each) => [each, `${each}.wiki`]))
      if (await git.repoExists(storage))
        await copyUnit(this.#deps, { path: relative(dataDir, git.path(storage)), hasObjects: true }, this.#known)
    return storages.length
  }

  /** Returns false when the server stops. */
  async #copyAll(): Promise<boolean> {
    for await (const unit of listUnits(this.#deps.dataDir)) {
      if (this.#deps.signal.aborted) return false
      await copyUnit(this.#deps, unit, this.#known)
    }
    return true
  }
}

function sizeOf({ state }: KnownState): number {
  let size = 1
  for (const [path, content] of state) size += path.length + content.length
  return size
}
