import { createPathLookup, type PathLookup } from '../read/path-lookup.ts'
import { applyChanges, PathConflictError, type TreeChange } from '../write/tree-edit.ts'
import { type TreeMerge, type TreeSpace, isSame, type LeafChange, listChanges } from './merge-tree.ts'

/**
 * Computes the tree that git would make by merging `theirs` into `ours`, without a process. Undefined if that takes
 * more than copying files of theirs over paths that ours left unchanged: a file changed on both sides, or anything that
 * renaming a file or directory may affect.
 */
export async function trivialMerge(space: TreeSpace, { base, ours, theirs }: TreeMerge): Promise<string | undefined> {
  if (ours === base || ours === theirs) return theirs
  if (theirs === base) return ours
  const changes = await (space.changes ?? listChanges)((oid) => space.readTree(oid), base, theirs)
  if (changes === undefined) return undefined
  const find = {
    base: createPathLookup((oid) => space.readTree(oid), base),
    ours: createPathLookup((oid) => space.readTree(oid), ours),
    theirs: createPathLookup((oid) => space.readTree(oid), theirs),
  }
  if (await mayMoveRoot(space, { base, ours, theirs }, changes)) return undefined
  const hasNew = changes.some(({ before }) => before === undefined)
  const applied: TreeChange[] = []
  for (const change of changes) {
    const there = await find.ours(change.path)
    if (isSame(there, change.after) && change.before && change.after) continue
    if (!isSame(there, change.before)) return undefined
    if (await mayFollowRename(find, change, hasNew)) return undefined
    applied.push(toTreeChange(change))
  }
  try {
    return await applyChanges(space.writer, ours, applied)
  } catch (error) {
    if (error instanceof PathConflictError) return undefined
    throw error
  }
}

function toTreeChange({ path, after }: LeafChange): TreeChange {
  return after ? { path, mode: after.mode, oid: after.oid } : { path, delete: true }
}

interface Lookups {
  readonly base: PathLookup
  readonly ours: PathLookup
  readonly theirs: PathLookup
}

/**
 * True if git may put a file elsewhere because one side renamed its directory: a new file of theirs in a directory that
 * ours lacks now, or a directory that theirs renamed and ours changed.
 */
async function mayFollowRename(
  { base, ours, theirs }: Lookups,
  { path, before, after }: LeafChange,
  hasNew: boolean,
): Promise<boolean> {
  const isNew = before === undefined
  const isDeleted = after === undefined && hasNew
  if (!isNew && !isDeleted) return false
  for (const folder of foldersOf(path)) {
    const old = await base(folder)
    if (old?.type !== 'tree') continue
    if (isNew && (await ours(folder))?.type !== 'tree') return true
    const isMoved = isDeleted && (await theirs(folder))?.type !== 'tree'
    if (isMoved && !isSame(old, await ours(folder))) return true
  }
  return false
}

/** True if one side may have moved everything into a directory, so that git moves the other side's files too. */
async function mayMoveRoot(
  space: TreeSpace,
  { base, ours, theirs }: TreeMerge,
  changes: readonly LeafChange[],
): Promise<boolean> {
  if (!changes.some(({ before, after }) => before === undefined || after === undefined)) return false
  const [old, ...sides] = await Promise.all([base, ours, theirs].map((oid) => space.readTree(oid)))
  if (old!.length === 0) return false
  const names = new Set(old!.map((entry) => entry.name))
  return sides.some((entries) => !entries.some((entry) => names.has(entry.name)))
}

/** Returns `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
