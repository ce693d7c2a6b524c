import type { Destination } from '../destinations/directory-destination.ts'
import { seal, unseal } from '../sealed-file.ts'
import { compress, decompress } from '../zstd.ts'
import { fileTime, readFileTime } from '../file-time.ts'
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../../../../core/platform/files/missing.ts'

/**
 * A directory to copy: a repository, a pool, or the small files of the data directory. Its objects are immutable once
 * they have their name; the other files are its state, of which the copy stores every version.
 */
export interface Unit {
  /** Path relative to the data directory, such as `git/repos/ab/abcdef.git`. */
  readonly path: string
  readonly hasObjects: boolean
}

/** Path relative to the unit → content, as latin1. */
export type State = ReadonlyMap<string, string>

const LOOSE = /^[0-9a-f]{2}$/
const OBJECT = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/
const PACKED = /^pack-[0-9a-f]+\.(?:pack|idx|rev|mtimes|keep|bitmap)$/
/** Files that can be derived from others, and temporary files of running processes. */
const DERIVED = /^(?:bundle|hooks)(?:$|\/)|\.lock$|^objects\/(?!info(?:$|\/alternates$))/
/** Other contents of the data directory; repositories and blobs are copied separately. */
const OTHERS =
  /^(?:git|blobs|cache|tmp|nodes|server\.lock.*|storage-migration\.json.*|.*\.db(?:-.*)?|backup.*\.json.*)$/
const MAX_STATE_FILE = 64 * 1024 * 1024

/** The small files directly in the data directory: keys and settings. */
export const DATA_DIR: Unit = { path: '', hasObjects: false }

/** Reads the state of a unit; empty when it was deleted. */
export async function readState(dataDir: string, unit: Unit): Promise<State> {
  const state = new Map<string, string>()
  const skip = unit.hasObjects ? DERIVED : OTHERS
  await readInto(state, { root: join(dataDir, unit.path), below: '', skip })
  return state
}

interface Reading {
  readonly root: string
  readonly below: string
  readonly skip: RegExp
}

/**
 * NOTE: reads directories before files, like git reads refs: a ref that is packed concurrently is in packed-refs, which
 * is read afterwards.
 */
async function readInto(state: Map<string, string>, { root, below, skip }: Reading): Promise<void> {
  const entries = await entriesOf(join(root, below))
  const sorted = entries.toSorted((a, b) => Number(a.isFile()) - Number(b.isFile()))
  for (const entry of sorted) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (skip.test(path)) continue
    if (entry.isDirectory()) await readInto(state, { root, below: path, skip })
    else if (entry.isFile()) {
      const content = await readFile(join(root, path)).catch(ifMissing(undefined))
      if (content !== undefined && content.length <= MAX_STATE_FILE) state.set(path, content.toString('latin1'))
    }
  }
}

/**
 * Paths of the objects relative to the unit. Loose objects are listed before packs: an object that is packed
 * concurrently is found in the new pack.
 */
export async function listObjects(dataDir: string, unit: Unit): Promise<string[]> {
  if (!unit.hasObjects) return []
  const found: string[] = []
  const objects = join(dataDir, unit.path, 'objects')
  for (const { name: folder } of await entriesOf(objects)) {
    if (!LOOSE.test(folder)) continue
    for (const { name } of await entriesOf(join(objects, folder)))
      if (OBJECT.test(name)) found.push(`objects/${folder}/${name}`)
  }
  for (const { name } of await entriesOf(join(objects, 'pack')))
    if (PACKED.test(name)) found.push(`objects/pack/${name}`)
  return found
}

/** Every repository and pool. */
export async function* listUnits(dataDir: string): AsyncGenerator<Unit, void, undefined> {
  for (const root of ['git/repos', 'git/pools'])
    for (const { name: folder } of await entriesOf(join(dataDir, root)))
      for (const { name } of await entriesOf(join(dataDir, root, folder)))
        if (name.endsWith('.git')) yield { path: `${root}/${folder}/${name}`, hasObjects: true }
}

export const entriesOf = (path: string): Promise<Dirent[]> =>
  readdir(path, { withFileTypes: true }).catch(ifMissing<Dirent[]>([]))

/**
 * The copy of files: `files/objects/<path>` for immutable files, and `files/states/<unit>/state/<time>-<kind>.json` for
 * the versions of the other files of a unit.
 */
export const OBJECTS = 'files/objects/'
const STATES = 'files/states/'
export const COVERED = 'files/covered.json'

type StateKind = 'full' | 'changes'

interface StateHeader {
  readonly format: 1
  /** Epoch milliseconds: this version contains no change after it. */
  readonly until: number
}

/** The body of a version: path → content as latin1, null for a deleted file. */
type StateChanges = Readonly<Record<string, string | null>>

/** A version at the destination. */
export interface StoredState {
  readonly name: string
  /** Path of the unit. */
  readonly unit: string
  readonly kind: StateKind
  /** Epoch milliseconds. */
  readonly time: number
}

const stateFolder = (unit: string): string => `${STATES}${unit}${unit === '' ? '' : '/'}state/`

const stateName = (unit: string, until: number, kind: StateKind): string =>
  `${stateFolder(unit)}${fileTime(until)}-${kind}.json`

const NAME = /^files\/states\/(?:(?<unit>.*)\/)?state\/(?<time>[^/]+Z)-(?<kind>full|changes)\.json$/

function readStateName(name: string): StoredState | undefined {
  const { unit = '', time = '', kind } = NAME.exec(name)?.groups ?? {}
  if (kind === undefined) return undefined
  return { name, unit, kind: kind as StateKind, time: readFileTime(time) }
}

/** The maximum number of versions stored as changes before the next whole version. */
const MAX_CHANGES = 50

/** The copied state of a unit. */
export interface KnownState {
  readonly state: State
  /** Number of versions since the last whole one. */
  readonly changes: number
}

/**
 * The state after applying versions, oldest first; undefined without a whole one. Throws Conflict for damaged files.
 */
export async function readVersions(
  destination: Destination,
  versions: readonly StoredState[],
): Promise<KnownState | undefined> {
  const from = versions.findLastIndex(({ kind }) => kind === 'full')
  if (from === -1) return undefined
  const state = new Map<string, string>()
  for (const { name } of versions.slice(from)) {
    const { body } = unseal<StateHeader>(name, await destination.get(name))
    const changes = JSON.parse((await decompress(body)).toString('utf8')) as StateChanges
    for (const [path, content] of Object.entries(changes)) {
      if (content === null) state.delete(path)
      else state.set(path, content)
    }
  }
  return { state, changes: versions.length - from - 1 }
}

/** Oldest first. */
export async function listVersions(destination: Destination, unit: string): Promise<StoredState[]> {
  const found: StoredState[] = []
  for await (const { name } of destination.list(stateFolder(unit))) {
    const version = readStateName(name)
    if (version?.unit === unit) found.push(version)
  }
  return found
}

/** The versions of each unit at the destination, oldest first. */
export async function* versionsByUnit(
  destination: Destination,
): AsyncGenerator<readonly StoredState[], void, undefined> {
  let versions: StoredState[] = []
  for await (const { name } of destination.list(STATES)) {
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

/** Writes a version that changes `known` to `state`, unless they are equal; returns the copied state afterwards. */
export async function storeVersion(
  destination: Destination,
  { unit, until, state, known }: { unit: string; until: number; state: State; known: KnownState | undefined },
): Promise<KnownState> {
  const changes = diff(known?.state ?? new Map(), state)
  if (known !== undefined && Object.keys(changes).length === 0) return known
  const isFull = known === undefined || known.changes >= MAX_CHANGES
  const header: StateHeader = { format: 1, until }
  const body = await compress(JSON.stringify(isFull ? Object.fromEntries(state) : changes))
  await destination.put(stateName(unit, until, isFull ? 'full' : 'changes'), seal(header, body).data)
  return { state, changes: isFull ? 0 : known.changes + 1 }
}

function diff(from: State, to: State): StateChanges {
  const changes: Record<string, string | null> = {}
  for (const [path, content] of to) if (from.get(path) !== content) changes[path] = content
  for (const path of from.keys()) if (!to.has(path)) changes[path] = null
  return changes
}
