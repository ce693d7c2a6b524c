import { rm } from 'node:fs/promises'
import type { Quarantine } from '../../disk/quarantine.ts'
import type { GitCommand, CommandOptions } from '../command.ts'
import { hashObject, type ObjectFormat, isOid } from '../object/format.ts'
import { serializeCommit } from '../object/commit.ts'
import { parseTree, type TreeEntry } from '../object/tree.ts'
import { loosePath, readLoose } from '../read/loose-object.ts'
import type { Objects } from '../read/objects.ts'
import { createIncoming } from '../write/incoming.ts'
import { writeLoose } from '../write/loose-writer.ts'
import { createObjectWriter, type ObjectWriter, isSafePath } from '../write/tree-edit.ts'
import { GitError } from '../../errors.ts'

/** A file, link or submodule that differs between two trees; at least one side exists. */
export interface LeafChange {
  readonly path: string
  readonly before: TreeEntry | undefined
  readonly after: TreeEntry | undefined
}

type ReadTree = (oid: string) => Promise<readonly TreeEntry[]>

/** Git merges larger changes, because it needs less memory for them. */
const MAX_CHANGES = 10_000

/**
 * The differences between two trees, without rename detection. Undefined for too many changes and for names that have
 * no exact text form.
 */
export async function listChanges(read: ReadTree, before: string, after: string): Promise<LeafChange[] | undefined> {
  const changes: LeafChange[] = []
  const stack: Folder[] = [{ prefix: '', before, after }]
  for (let folder = stack.pop(); folder; folder = stack.pop()) {
    for (const [name, from, to] of await differing(read, folder)) {
      const path = folder.prefix + name
      if (from?.rawName || to?.rawName || !isSafePath(path)) return undefined
      const leaves = { path, before: leafOf(from), after: leafOf(to) }
      if (leaves.before || leaves.after) changes.push(leaves)
      const inside = { prefix: `${path}/`, before: treeOf(from), after: treeOf(to) }
      if (inside.before !== inside.after) stack.push(inside)
    }
    if (changes.length > MAX_CHANGES) return undefined
  }
  return changes
}

interface Folder {
  readonly prefix: string
  /** Ids of the entry's trees. */
  readonly before: string | undefined
  readonly after: string | undefined
}

type Pair = readonly [name: string, before: TreeEntry | undefined, after: TreeEntry | undefined]

async function differing(read: ReadTree, { before, after }: Folder): Promise<Pair[]> {
  const [old, now] = await Promise.all([entriesOf(read, before), entriesOf(read, after)])
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name): Pair => [name, old.get(name), now.get(name)])
    .filter(([, from, to]) => !isSame(from, to))
}

/** True if both have the same content and kind, or both are missing. */
export const isSame = (a: TreeEntry | undefined, b: TreeEntry | undefined): boolean =>
  a?.oid === b?.oid && a?.mode === b?.mode

const leafOf = (entry: TreeEntry | undefined): TreeEntry | undefined => (entry?.type === 'tree' ? undefined : entry)

const treeOf = (entry: TreeEntry | undefined): string | undefined => (entry?.type === 'tree' ? entry.oid : undefined)

async function entriesOf(read: ReadTree, oid: string | undefined): Promise<Map<string, TreeEntry>> {
  if (oid === undefined) return new Map()
  return new Map((await read(oid)).map((entry) => [entry.name, entry]))
}

export interface MergeTree {
  /** The merged tree; with conflicts, it contains conflict markers. */
  readonly tree: string
  /** Paths that could not be merged; empty for a clean merge. */
  readonly conflicts: readonly string[]
  /** Git's messages about the conflicts, one per line, cut after 8,000 characters. */
  readonly messages: string
}

const MAX_OUTPUT = 16 * 1024 * 1024
const MAX_MESSAGES = 8_000

type MergeTreeOptions = Required<Pick<CommandOptions, 'env' | 'settings' | 'deadline'>>

/**
 * Three-way merge of two commits with renames from their own merge bases; it changes no ref and no file. Unrelated
 * histories are merged from the empty tree. Git writes the objects where `env` says.
 */
async function runMergeTree(
  command: GitCommand,
  format: ObjectFormat,
  sides: { readonly ours: string; readonly theirs: string },
  options: MergeTreeOptions,
): Promise<MergeTree> {
  const { ours, theirs } = sides
  for (const oid of [ours, theirs])
    if (!isOid(oid, format)) throw new GitError('invalid', `bad commit id: ${oid.slice(0, 80)}`)
  const args = ['merge-tree', '--write-tree', '--allow-unrelated-histories', '--name-only', '--messages', '-z']
  const { stdout } = await command.run([...args, ours, theirs], {
    codes: [0, 1],
    maxOutput: MAX_OUTPUT,
    ...options,
  })
  return parseMergeTree(stdout.toString('utf8'), format)
}

/**
 * `tree\0`, conflicting paths, an empty field, and for each message: the number of its paths, the paths, kind, text.
 */
function parseMergeTree(output: string, format: ObjectFormat): MergeTree {
  const fields = output.split('\0')
  const tree = fields[0] ?? ''
  if (!isOid(tree, format)) throw new GitError('failed', 'git merge-tree gave no tree')
  const end = fields.indexOf('', 1)
  const names = fields.slice(1, end === -1 ? fields.length : end)
  if (names.length === 0) return { tree, conflicts: [], messages: '' }
  let messages = ''
  for (let at = end + 1; at < fields.length && messages.length < MAX_MESSAGES;) {
    const paths = Number(fields[at])
    if (fields[at] === '' || !Number.isInteger(paths)) break
    const text = fields[at + paths + 2] ?? ''
    messages += text.endsWith('\n') ? text : `${text}\n`
    at += paths + 3
  }
  return { tree, conflicts: [...new Set(names)], messages: messages.slice(0, MAX_MESSAGES) }
}

export interface MergeContext {
  readonly format: ObjectFormat
  readonly objects: Objects
  readonly command: GitCommand
  quarantine(): Promise<Quarantine>
}

/** The environment in which trees are merged without a process. */
export interface TreeSpace {
  readonly writer: ObjectWriter
  /** Reads a tree that was built here or that the repository has. */
  readTree(oid: string): Promise<readonly TreeEntry[]>
  /** A replacement for `listChanges` that caches results. */
  readonly changes?: typeof listChanges
}

/** The environment of one merge: nothing else reads its objects until they are kept. */
export interface MergeSpace extends TreeSpace {
  readonly format: ObjectFormat
  /** The bytes of a blob that a merge wrote here; undefined if it is in the repository, or large. */
  readMade(oid: string): Promise<Buffer | undefined>
  /** Merges two commits of the repository as git does. */
  mergeCommits(ours: string, theirs: string): Promise<MergeTree>
  /** Merges two trees from a given base as git does. */
  mergeTrees(trees: TreeMerge): Promise<MergeTree>
  /** Every path that differs between two commits or trees. */
  changedFiles(from: string, to: string): Promise<readonly string[]>
}

export interface TreeMerge {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

interface Kept<T> {
  readonly value: T
  /** True if the objects are moved into the repository. */
  readonly keep: boolean
}

/** Git's objects are synced together when they are kept. */
const UNSYNCED = [['core.fsync', 'none']] as const

const NOBODY = { name: 'merge', email: 'merge@localhost', time: 0, offset: 0 }

/**
 * Runs `work` with its own merge space. Kept objects are durable when this returns; others leave nothing behind. Use
 * within `writing`.
 */
export async function inMergeSpace<T>(
  context: MergeContext,
  deadline: number,
  work: (space: MergeSpace) => Promise<Kept<T>>,
): Promise<T> {
  const quarantine = await context.quarantine()
  try {
    const scratch = new Set<string>()
    const space = createSpace(context, quarantine, { scratch, deadline })
    const { value, keep } = await work(space)
    if (!keep) return value
    await space.writer.flush()
    await Promise.all([...scratch].map((oid) => rm(loosePath(quarantine.path, oid), { force: true })))
    await quarantine.migrate()
    return value
  } finally {
    await quarantine.discard()
  }
}

interface Bounds {
  /** Ids of the commits that were written only for git to read. */
  readonly scratch: Set<string>
  /** Time in milliseconds, as returned by `performance.now()`. */
  readonly deadline: number
}

function createSpace(
  { format, objects, command }: MergeContext,
  { path, env }: Quarantine,
  { scratch, deadline }: Bounds,
): MergeSpace {
  const written = new Map<string, readonly TreeEntry[]>()
  async function readWritten(oid: string): Promise<readonly TreeEntry[]> {
    const known = written.get(oid)
    if (known) return known
    const found = await readLoose(path, oid)
    return found?.content && found.type === 'tree' ? parseTree(oid, found.content, format) : objects.tree(oid)
  }
  const writer = createObjectWriter({
    directory: path,
    format,
    readTree: readWritten,
    written: ({ oid, type, content }) => {
      if (type === 'tree') written.set(oid, parseTree(oid, content, format))
    },
  })
  const merge = (ours: string, theirs: string): Promise<MergeTree> => {
    const left = Math.max(1, Math.round(deadline - performance.now()))
    return runMergeTree(command, format, { ours, theirs }, { env, settings: UNSYNCED, deadline: left })
  }
  /** NOTE: git 2.39 merges only commits and finds their base by itself: it gets commits with that base as parent. */
  async function commitOf(tree: string, parents: readonly string[]): Promise<string> {
    const content = serializeCommit({ tree, parents, author: NOBODY, committer: NOBODY, message: '' })
    const oid = hashObject(format, 'commit', content)
    if (!scratch.has(oid)) await writeLoose(path, [{ oid, type: 'commit', content }])
    scratch.add(oid)
    return oid
  }
  return {
    format,
    writer,
    readTree: (oid) => writer.readTree(oid),
    async readMade(oid) {
      const found = await readLoose(path, oid)
      return found?.type === 'blob' ? found.content : undefined
    },
    mergeCommits: merge,
    async mergeTrees({ base, ours, theirs }) {
      await writer.flush()
      const root = await commitOf(base, [])
      return merge(await commitOf(ours, [root]), await commitOf(theirs, [root]))
    },
    async changedFiles(from, to) {
      await writer.flush()
      return createIncoming(format, command, env).changedFiles(from, to)
    },
  }
}
