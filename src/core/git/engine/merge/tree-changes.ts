import { isSafePath } from '../write/tree-edit.ts'
import type { TreeEntry } from '../object/tree.ts'

/** A file, link or submodule that differs between two trees; at least one side is there. */
export interface LeafChange {
  readonly path: string
  readonly before: TreeEntry | undefined
  readonly after: TreeEntry | undefined
}

type ReadTree = (oid: string) => Promise<readonly TreeEntry[]>

/** More are left to git, which needs less memory for them. */
const MAX_CHANGES = 10_000

/**
 * What differs between two trees, without renames. Undefined for more changes than are worth listing and for names
 * that have no exact text.
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
  /** Ids of its trees. */
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

/** The same content of the same kind, or both missing. */
export const isSame = (a: TreeEntry | undefined, b: TreeEntry | undefined): boolean =>
  a?.oid === b?.oid && a?.mode === b?.mode

const leafOf = (entry: TreeEntry | undefined): TreeEntry | undefined => (entry?.type === 'tree' ? undefined : entry)

const treeOf = (entry: TreeEntry | undefined): string | undefined => (entry?.type === 'tree' ? entry.oid : undefined)

async function entriesOf(read: ReadTree, oid: string | undefined): Promise<Map<string, TreeEntry>> {
  if (oid === undefined) return new Map()
  return new Map((await read(oid)).map((entry) => [entry.name, entry]))
}
