import type { Place } from '../places/place.ts'
import { seal, unseal } from '../sealed-file.ts'
import { compress, decompress } from '../zstd.ts'
import {
  readStateName,
  type StateChanges,
  stateFolder,
  type StateHeader,
  stateName,
  STATES,
  type StoredState,
} from './layout.ts'
import type { State } from './unit.ts'

/** Versions that are written as changes before the next whole one. */
const MAX_CHANGES = 50

/** What the copy has of a unit. */
export interface KnownState {
  readonly state: State
  /** Versions since the last whole one. */
  readonly changes: number
}

/** The state that versions, oldest first, make; undefined without a whole one. Throws Conflict for damaged files. */
export async function readVersions(place: Place, versions: readonly StoredState[]): Promise<KnownState | undefined> {
  const from = versions.findLastIndex(({ kind }) => kind === 'full')
  if (from === -1) return undefined
  const state = new Map<string, string>()
  for (const { name } of versions.slice(from)) {
    const { body } = unseal<StateHeader>(name, await place.get(name))
    const changes = JSON.parse((await decompress(body)).toString('utf8')) as StateChanges
    for (const [path, content] of Object.entries(changes)) {
      if (content === null) state.delete(path)
      else state.set(path, content)
    }
  }
  return { state, changes: versions.length - from - 1 }
}

/** Oldest first. */
export async function listVersions(place: Place, unit: string): Promise<StoredState[]> {
  const found: StoredState[] = []
  for await (const { name } of place.list(stateFolder(unit))) {
    const version = readStateName(name)
    if (version?.unit === unit) found.push(version)
  }
  return found
}

/** The versions of each unit of the copy, oldest first. */
export async function* versionsByUnit(place: Place): AsyncGenerator<readonly StoredState[], void, undefined> {
  let versions: StoredState[] = []
  for await (const { name } of place.list(STATES)) {
    const version = readStateName(name)
    if (version === undefined) continue
    if (versions[0] !== undefined && versions[0].unit !== version.unit) {
      yield versions
      versions = []
    }
    versions.push(version)
  }
  if (versions.length > 0) yield versions
}

/** Writes the version that makes `state` of `known`, nothing when they are equal, and gives what the copy has then. */
export async function storeVersion(
  place: Place,
  { unit, until, state, known }: { unit: string; until: number; state: State; known: KnownState | undefined },
): Promise<KnownState> {
  const changes = diff(known?.state ?? new Map(), state)
  if (known !== undefined && Object.keys(changes).length === 0) return known
  const isFull = known === undefined || known.changes >= MAX_CHANGES
  const header: StateHeader = { format: 1, until }
  const body = await compress(JSON.stringify(isFull ? Object.fromEntries(state) : changes))
  await place.put(stateName(unit, until, isFull ? 'full' : 'changes'), seal(header, body).data)
  return { state, changes: isFull ? 0 : known.changes + 1 }
}

function diff(from: State, to: State): StateChanges {
  const changes: Record<string, string | null> = {}
  for (const [path, content] of to) if (from.get(path) !== content) changes[path] = content
  for (const path of from.keys()) if (!to.has(path)) changes[path] = null
  return changes
}
