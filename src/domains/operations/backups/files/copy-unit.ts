import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../../../../core/platform/clock.ts'
import { ifGone } from '../../../../core/platform/files/gone.ts'
import type { Place } from '../places/place.ts'
import { OBJECTS } from './layout.ts'
import { type KnownState, listVersions, readVersions, storeVersion } from './states.ts'
import { listObjects, readState, type State, type Unit } from './unit.ts'

export interface UnitCopy {
  readonly place: Place
  readonly dataDir: string
  readonly clock: Clock
}

/** What the copy has of units that were copied lately, by path. */
export interface KnownStates {
  get(path: string): KnownState | undefined
  set(path: string, known: KnownState): unknown
  delete(path: string): unknown
}

const WHOLE = 8 * 1024 * 1024
const ROUNDS = 5

/**
 * Copies the objects that the copy lacks and then the state, which was read before them: what a copied ref leads to is
 * copied too.
 */
export async function copyUnit(deps: UnitCopy, unit: Unit, cache: KnownStates): Promise<void> {
  const { place, dataDir, clock } = deps
  const state = await readState(dataDir, unit)
  const until = clock.now()
  const pool = poolOf(unit, state)
  if (pool !== undefined) await copyUnit(deps, pool, cache)
  await copyObjects(deps, unit)
  const known = cache.get(unit.path) ?? (await readVersions(place, await listVersions(place, unit.path)))
  cache.delete(unit.path)
  cache.set(unit.path, await storeVersion(place, { unit: unit.path, until, state, known }))
}

/** Of a fork. */
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
  for await (const { name, size } of deps.place.list(folder)) sizes.set(name.slice(folder.length), size)
  // NOTE: a file that a repack deletes meanwhile has a successor, which another round finds.
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

/** Copies a file that never changes; gives its bytes, undefined when it is gone. `path`: below the data directory. */
export async function copyFile({ place, dataDir }: UnitCopy, path: string): Promise<number | undefined> {
  const file = join(dataDir, path)
  const found = await stat(file).catch(ifGone(undefined))
  if (found === undefined) return undefined
  const name = `${OBJECTS}${path}`
  if (found.size <= WHOLE) {
    const content = await readFile(file).catch(ifGone(undefined))
    if (content === undefined) return undefined
    await place.put(name, content)
  } else {
    const source = createReadStream(file)
    try {
      await place.putStream(name, source, found.size)
    } catch (error) {
      return ifGone(undefined)(error as NodeJS.ErrnoException)
    }
  }
  return found.size
}
