import { createPauses } from '../../../platform/concurrency/pauses.ts'
import { trimEndOf } from '../../../platform/trim.ts'
import type { ObjectWriter } from './object-writer.ts'
import { entryType, MODE, type TreeEntry } from '../object/tree.ts'

export type PathConflictReason =
  | 'malformed' // empty, `..`, `.git` or something that looks like it
  | 'file-above' // a parent of the path is a file, symlink or submodule
  | 'directory' // the path itself is a directory
  | 'missing' // to be deleted and not there

/** Why a tree cannot be changed as asked; `path` is the path of the change. */
export class PathConflictError extends Error {
  readonly path: string
  readonly reason: PathConflictReason

  constructor(path: string, reason: PathConflictReason) {
    super(`${path}: ${reason}`)
    this.name = 'PathConflictError'
    this.path = path
    this.reason = reason
  }
}

export type TreeChange =
  | { readonly path: string; readonly mode: string; readonly oid: string; readonly delete?: undefined }
  | { readonly path: string; readonly delete: true }

interface Folder {
  readonly entries: Map<string, TreeEntry | Folder>
}

const isFolder = (item: TreeEntry | Folder | undefined): item is Folder => item !== undefined && 'entries' in item

/**
 * The tree that has the changes applied, deletions first, so that a file may take a directory's place in one go.
 * Directories come and go as needed. Reads only the trees on the way; the objects are in the writer until its flush.
 */
export async function applyChanges(
  writer: ObjectWriter,
  base: string | undefined,
  changes: readonly TreeChange[],
): Promise<string> {
  const root = await load(writer, base)
  const pause = createPauses()
  for (const change of changes) if (!isSafePath(change.path)) throw new PathConflictError(change.path, 'malformed')
  for (const change of changes) {
    if (change.delete) await remove(writer, root, change.path)
    await pause()
  }
  for (const change of changes) {
    if (!change.delete) await put(writer, root, change)
    await pause()
  }
  return save(writer, root, pause)
}

async function load(writer: ObjectWriter, oid: string | undefined): Promise<Folder> {
  const entries = oid === undefined ? [] : await writer.readTree(oid)
  return { entries: new Map(entries.map((entry) => [entry.name, entry])) }
}

/** The folder below `folder`, opened for change; undefined when there is nothing of that name. */
async function enter(writer: ObjectWriter, folder: Folder, name: string, path: string): Promise<Folder | undefined> {
  const item = folder.entries.get(name)
  if (item === undefined || isFolder(item)) return item
  if (item.type !== 'tree') throw new PathConflictError(path, 'file-above')
  const opened = await load(writer, item.oid)
  folder.entries.set(name, opened)
  return opened
}

async function remove(writer: ObjectWriter, root: Folder, path: string): Promise<void> {
  const parts = path.split('/')
  const way: Folder[] = [root]
  for (const name of parts.slice(0, -1)) {
    const next = await enter(writer, way.at(-1)!, name, path)
    if (!next) throw new PathConflictError(path, 'missing')
    way.push(next)
  }
  const item = way.at(-1)!.entries.get(parts.at(-1)!)
  if (!item) throw new PathConflictError(path, 'missing')
  if (isFolder(item) || item.type === 'tree') throw new PathConflictError(path, 'directory')
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    way[depth]!.entries.delete(parts[depth]!)
    if (way[depth]!.entries.size > 0) return
  }
}

async function put(
  writer: ObjectWriter,
  root: Folder,
  change: { path: string; mode: string; oid: string },
): Promise<void> {
  const parts = change.path.split('/')
  const name = parts.at(-1)!
  let folder = root
  for (const part of parts.slice(0, -1)) {
    let next = await enter(writer, folder, part, change.path)
    if (!next) {
      next = { entries: new Map() }
      folder.entries.set(part, next)
    }
    folder = next
  }
  const there = folder.entries.get(name)
  if (there && (isFolder(there) || there.type === 'tree')) throw new PathConflictError(change.path, 'directory')
  folder.entries.set(name, { name, mode: change.mode, oid: change.oid, type: entryType(change.mode) })
}

async function save(writer: ObjectWriter, folder: Folder, pause: () => Promise<void>): Promise<string> {
  const entries: TreeEntry[] = []
  for (const [name, item] of folder.entries) {
    if (!isFolder(item)) entries.push(item)
    else if (item.entries.size > 0)
      entries.push({ name, mode: MODE.tree, type: 'tree', oid: await save(writer, item, pause) })
  }
  await pause()
  return writer.tree(entries)
}

/** Zero-width characters that HFS+ ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** A path that git would take into a tree on every file system (verify_path, with HFS+ and NTFS protection). */
export function isSafePath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex
  if (path === '' || /[\0\\]/.test(path) || !path.isWellFormed()) return false
  return path.split('/').every((part) => {
    if (part === '' || part === '.' || part === '..') return false
    const plain = part.replace(IGNORED, '').toLowerCase()
    const ntfs = trimEndOf(plain.replace(/:.*$/s, ''), ' .')
    return plain !== '.git' && ntfs !== '.git' && ntfs !== 'git~1'
  })
}
