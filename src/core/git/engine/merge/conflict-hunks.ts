import { createPathLookup } from '../read/path-lookup.ts'
import type { MergeSpace } from './merge-tree.ts'

/** Both versions of a section that was changed on both sides. */
interface ConflictHunk {
  /** Line number of the first conflict marker in the merged file, from 1. */
  readonly line: number
  readonly ours: string
  readonly theirs: string
}

export interface ConflictFile {
  readonly path: string
  /** Empty for conflicts without text: deletions, renames, binary or large files, submodules. */
  readonly hunks: readonly ConflictHunk[]
  /** True if there are more or longer hunks than are shown. */
  readonly isCut: boolean
}

const MAX_FILES = 50
const MAX_HUNKS = 20
const MAX_SIDE = 4_000
/** Maximum characters of all hunks together. */
const MAX_TOTAL = 256 * 1024

/**
 * The conflicting sections of the first 50 files of a conflicting merge, up to 256 Ki characters; `tree` contains their
 * markers.
 */
export async function conflictHunks(
  space: MergeSpace,
  tree: string,
  files: readonly string[],
): Promise<readonly ConflictFile[]> {
  const find = createPathLookup((oid) => space.readTree(oid), tree)
  const found: ConflictFile[] = []
  let left = MAX_TOTAL
  for (const path of files.slice(0, MAX_FILES)) {
    const entry = await find(path)
    const content = entry?.type === 'blob' ? await space.readMade(entry.oid) : undefined
    const parsed = parseHunks(content?.toString('utf8') ?? '')
    const hunks = parsed.hunks.filter(({ ours, theirs }) => (left -= ours.length + theirs.length) >= 0)
    found.push({ path, hunks, isCut: parsed.isCut || hunks.length < parsed.hunks.length })
  }
  return found
}

/** NOTE: a file may contain lines that look like markers; only complete triples in order count. */
function parseHunks(text: string): Pick<ConflictFile, 'hunks' | 'isCut'> {
  const hunks: ConflictHunk[] = []
  let isCut = false
  let open: { line: number; ours: string[]; theirs: string[] | undefined } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('<<<<<<< ')) open = { line: index + 1, ours: [], theirs: undefined }
    else if (open && line === '=======' && !open.theirs) open.theirs = []
    else if (open?.theirs && line.startsWith('>>>>>>> ')) {
      const [ours, theirs] = [open.ours.join('\n'), open.theirs.join('\n')]
      if (hunks.length === MAX_HUNKS) return { hunks, isCut: true }
      isCut ||= ours.length > MAX_SIDE || theirs.length > MAX_SIDE
      hunks.push({ line: open.line, ours: cut(ours), theirs: cut(theirs) })
      open = undefined
    } else if (open) (open.theirs ?? open.ours).push(line)
  }
  return { hunks, isCut }
}

const cut = (text: string): string => (text.length > MAX_SIDE ? text.slice(0, MAX_SIDE).toWellFormed() : text)
