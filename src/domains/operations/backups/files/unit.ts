import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifGone } from '../../../../core/platform/files/gone.ts'

/**
 * A directory that is copied: a repository, a pool, or the small files of the data directory. Its objects never change
 * once they have their name; the other files are its state, of which the copy keeps every version.
 */
export interface Unit {
  /** Path below the data directory, such as `git/repos/ab/abcdef.git`. */
  readonly path: string
  readonly hasObjects: boolean
}

/** Path below the unit → content, as latin1. */
export type State = ReadonlyMap<string, string>

const LOOSE = /^[0-9a-f]{2}$/
const OBJECT = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/
const PACKED = /^pack-[0-9a-f]+\.(?:pack|idx|rev|mtimes|keep|bitmap)$/
/** What a repository computes anew, and what a running process leaves. */
const DERIVED = /^(?:bundle|hooks)(?:$|\/)|\.lock$|^objects\/(?!info(?:$|\/alternates$))/
/** What the data directory has besides its own small files; repositories and blobs are copied in their own way. */
const OTHERS =
  /^(?:git|blobs|cache|tmp|nodes|server\.lock.*|storage-migration\.json.*|.*\.db(?:-.*)?|backup.*\.json.*)$/
const MAX_STATE_FILE = 64 * 1024 * 1024

/** The small files of the data directory itself: keys and settings. */
export const DATA_DIR: Unit = { path: '', hasObjects: false }

/** Reads the state of a unit; empty when it is gone. */
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
 * NOTE: directories before files, as git reads refs: one that is packed meanwhile is in packed-refs, which is read
 * after it.
 */
async function readInto(state: Map<string, string>, { root, below, skip }: Reading): Promise<void> {
  const entries = await entriesOf(join(root, below))
  const sorted = entries.toSorted((a, b) => Number(a.isFile()) - Number(b.isFile()))
  for (const entry of sorted) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (skip.test(path)) continue
    if (entry.isDirectory()) await readInto(state, { root, below: path, skip })
    else if (entry.isFile()) {
      const content = await readFile(join(root, path)).catch(ifGone(undefined))
      if (content !== undefined && content.length <= MAX_STATE_FILE) state.set(path, content.toString('latin1'))
    }
  }
}

/**
 * Paths of the objects below the unit. Loose ones before packs: what is packed meanwhile is found in the new pack.
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
  readdir(path, { withFileTypes: true }).catch(ifGone<Dirent[]>([]))
