import { rm } from 'node:fs/promises'
import type { Quarantine } from '../../disk/quarantine.ts'
import type { GitCommand } from '../command.ts'
import { hashObject, type ObjectFormat } from '../object/format.ts'
import { serializeCommit } from '../object/commit.ts'
import { parseTree, type TreeEntry } from '../object/tree.ts'
import { loosePath, readLoose } from '../read/loose-object.ts'
import type { Objects } from '../read/objects.ts'
import { createIncoming } from '../write/incoming.ts'
import { writeLoose } from '../write/loose-writer.ts'
import { createObjectWriter, type ObjectWriter } from '../write/object-writer.ts'
import { type MergeTree, runMergeTree } from './merge-tree.ts'
import type { listChanges } from './tree-changes.ts'

export interface MergeContext {
  readonly format: ObjectFormat
  readonly objects: Objects
  readonly command: GitCommand
  quarantine(): Promise<Quarantine>
}

/** Where trees are merged without a process. */
export interface TreeSpace {
  readonly writer: ObjectWriter
  /** A tree made here or one of the repository. */
  readTree(oid: string): Promise<readonly TreeEntry[]>
  /** In place of `listChanges`, for those that remember its results. */
  readonly changes?: typeof listChanges
}

/** Where one merge is built: its objects are read by nobody else until they are kept. */
export interface MergeSpace extends TreeSpace {
  readonly format: ObjectFormat
  /** The bytes of a blob that a merge made here; undefined when it is of the repository, or large. */
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
  /** Whether the objects become the repository's. */
  readonly keep: boolean
}

/** Git's objects are synced when they are kept, all at once. */
const UNSYNCED = [['core.fsync', 'none']] as const

const NOBODY = { name: 'merge', email: 'merge@localhost', time: 0, offset: 0 }

/**
 * Runs `work` with a space of its own. Objects that are kept are durable when this returns; the others leave nothing
 * behind. Use within `writing`.
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
  /** Ids of the commits that only git was given to read. */
  readonly scratch: Set<string>
  /** Of `performance.now()`. */
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
  /** NOTE: git 2.39 merges commits only, and finds their base by itself: it is given commits whose base is that one. */
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
