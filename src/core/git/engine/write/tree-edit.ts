import { createPauses, forEachPausing } from '../../../platform/concurrency/pauses.ts'
import { trimEndOf } from '../../../platform/trim.ts'
import { entryType, MODE, type TreeEntry, parseTree, serializeTree } from '../object/tree.ts'
import { GitError } from '../../errors.ts'
import { type NewCommit, serializeCommit } from '../object/commit.ts'
import { hashObject, type ObjectFormat, type ObjectType } from '../object/format.ts'
import { type NewTag, serializeTag } from '../object/tag.ts'
import { type NewObject, writeLoose } from './loose-writer.ts'
import { writePack } from './pack-writer.ts'

export interface WriterContext {
  /** The objects directory to write to. */
  readonly directory: string
  readonly format: ObjectFormat
  readonly readTree: (oid: string) => Promise<readonly TreeEntry[]>
  /** Called after a flush for each object that is now in the repository. */
  readonly written?: (object: NewObject) => void
}

/**
 * From about five objects on a pack is faster than loose objects, but every small pack slows reads until maintenance.
 */
const MIN_PACKED_OBJECTS = 24
/** A pack without 64-bit offsets is smaller than 2 GiB; larger data is written as loose objects. */
const MAX_PACKED_BYTES = 1024 ** 3

export type ObjectWriter = ReturnType<typeof createObjectWriter>

/**
 * Builds objects in memory and writes them together. Ids are computed at once; nothing is on disk before `flush`, and
 * an object is reachable only when a ref moves to it afterwards.
 */
export function createObjectWriter({ directory, format, readTree, written }: WriterContext) {
  const made = new Map<string, NewObject>()
  const add = (type: ObjectType, content: Buffer): string => {
    const oid = hashObject(format, type, content)
    made.set(oid, { oid, type, content })
    return oid
  }
  const serialize = (commit: NewCommit): Buffer =>
    serializeCommit(commit, format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256')
  return {
    /** NOTE: the bytes of a Buffer are not copied; do not change them before `flush`. */
    blob: (content: string | Uint8Array): string =>
      add('blob', Buffer.isBuffer(content) ? content : Buffer.from(content)),
    /** Entries in any order. */
    tree(entries: readonly TreeEntry[]): string {
      checkNames(entries)
      return add('tree', serializeTree(entries))
    },
    commit: (commit: NewCommit): string => add('commit', serialize(checkText(commit))),
    tag: (tag: NewTag): string => add('tag', serializeTag(checkText(tag))),
    /** Adds an object that is already serialized. NOTE: the bytes are not copied, as with a blob. */
    stored: add,
    /** The payload to sign for this tag. */
    tagPayload: ({ object, type, name, tagger, message }: NewTag): Buffer =>
      serializeTag(checkText({ object, type, name, tagger, message })),
    /** The payload to sign for this commit; put the armored result into `signature`. */
    payload: ({ tree, parents, author, committer, message }: NewCommit): Buffer =>
      serialize({ tree, parents, author, committer, message }),
    /** Reads a tree that was built here or that the repository has. */
    async readTree(oid: string): Promise<readonly TreeEntry[]> {
      const own = made.get(oid)
      return own?.type === 'tree' ? parseTree(oid, own.content, format) : readTree(oid)
    },
    /** Writes and syncs all objects added so far. */
    async flush(): Promise<void> {
      const objects = [...made.values()]
      made.clear()
      const bytes = objects.reduce((total, { content }) => total + content.length, 0)
      if (objects.length < MIN_PACKED_OBJECTS || bytes > MAX_PACKED_BYTES) await writeLoose(directory, objects)
      else await writePack(directory, format, objects)
      if (written) await forEachPausing(objects, written)
    },
  }
}

function checkNames(entries: readonly TreeEntry[]): void {
  const names = new Set(entries.map((entry) => entry.name))
  if (names.size !== entries.length) throw new GitError('invalid', 'a tree cannot contain a name twice')
}

/** NOTE: git would cut the message at a NUL; fsck refuses such commits. */
function checkText<T extends { readonly message: string }>(made: T): T {
  if (made.message.includes('\0')) throw new GitError('invalid', 'a message cannot contain a NUL character')
  return made
}

export type PathConflictReason =
  | 'malformed' // empty, `..`, `.git` or an equivalent
  | 'file-above' // a parent of the path is a file, symlink or submodule
  | 'directory' // the path itself is a directory
  | 'missing' // to be deleted but missing

/** Why a change to a tree failed; `path` is the path of the change. */
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
 * Applies the changes to a tree and returns the new tree. Deletions come first, so that a file can replace a directory
 * in one call. Directories are created and removed as needed. Reads only the affected trees; the objects are in the
 * writer until its flush.
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

/** Opens the folder of that name for changes; undefined if there is no entry of that name. */
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

/**
 * True for a path that git would accept into a tree on every file system (verify_path with HFS+ and NTFS protection).
 */
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
