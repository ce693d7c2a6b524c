import type { GitCommand } from '../command.ts'
import { entryType, MODE, type TreeEntry } from '../object/tree.ts'
import type { Objects } from '../read/objects.ts'
import { createPathLookup, type PathLookup } from '../read/path-lookup.ts'
import type { DiffContext, DiffSide } from './diff-texts.ts'
import { GitError } from '../../errors.ts'

/** Longer than any path in git and any line of numbers before one. */
const MAX_TOKEN = 64 * 1024

/** Yields the NUL-terminated tokens that git prints with `-z` in batches, as they arrive. */
export async function* nulTokens(stream: AsyncIterable<Buffer>): AsyncGenerator<readonly string[], void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const tokens: string[] = []
    let at = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, at)) {
      tokens.push(bytes.toString('utf8', at, end))
      at = end + 1
    }
    rest = Buffer.from(bytes.subarray(at))
    if (rest.length > MAX_TOKEN) throw new GitError('too-large', 'git printed a path that is too long')
    yield tokens
  }
}

interface FileAt {
  readonly path: string
  readonly mode: string
  readonly oid: string
}

/** A file in two commits. A side is undefined if its commit lacks the file; after a rename `new` has another path. */
export interface FilePair {
  readonly old: FileAt | undefined
  readonly new: FileAt | undefined
}

const DEADLINE = 30_000

/**
 * Finds files, named by their path on one side, in two commits and follows renames. Runs no process if both sides have
 * the paths, otherwise one. A path that does not exist on its side has no pair.
 */
export async function findFilePairs(
  { objects, command }: Pick<DiffContext, 'objects' | 'command'>,
  commits: Readonly<Record<DiffSide, string>>,
  named: { readonly side: DiffSide; readonly paths: ReadonlySet<string> },
): Promise<ReadonlyMap<string, FilePair>> {
  const other = named.side === 'old' ? 'new' : 'old'
  const [here, there] = await Promise.all([commits[named.side], commits[other]].map((oid) => lookupOf(objects, oid)))
  const pairs = new Map<string, FilePair>()
  const alone = new Map<string, FilePair>()
  for (const path of named.paths) {
    const found = await fileAt(here!, path)
    const match = found && (await fileAt(there!, path))
    if (found) (match ? pairs : alone).set(path, pairOf(named.side, found, match))
  }
  if (alone.size === 0) return pairs
  const renames = await findRenames(command, commits, named.side, new Set(alone.keys()))
  return new Map([...pairs, ...alone, ...renames])
}

const pairOf = (side: DiffSide, found: FileAt, match: FileAt | undefined): FilePair =>
  side === 'old' ? { old: found, new: match } : { old: match, new: found }

async function lookupOf(objects: Objects, commit: string): Promise<PathLookup> {
  return createPathLookup((oid) => objects.tree(oid), (await objects.commit(commit)).tree)
}

async function fileAt(lookup: PathLookup, path: string): Promise<FileAt | undefined> {
  const entry: TreeEntry | undefined = await lookup(path)
  return entry && entry.type !== 'tree' ? { path, mode: entry.mode, oid: entry.oid } : undefined
}

/** Reads the output of `diff-tree --raw -z` for renames only: `:<modes> <ids> R<score>`, the old path, the new path. */
async function findRenames(
  command: GitCommand,
  commits: Readonly<Record<DiffSide, string>>,
  side: DiffSide,
  wanted: ReadonlySet<string>,
): Promise<Map<string, FilePair>> {
  const args = ['diff-tree', '-r', '-M', '--raw', '-z', '--no-abbrev', '--diff-filter=R', commits.old, commits.new]
  const found = new Map<string, FilePair>()
  let open: string[] = []
  for await (const tokens of nulTokens(command.stream(args, { deadline: DEADLINE }))) {
    for (const token of tokens) {
      open.push(token)
      if (open.length < 3) continue
      const pair = renamed(open[0]!, open[1]!, open[2]!)
      const name = pair[side].path
      if (wanted.has(name)) found.set(name, pair)
      open = []
    }
  }
  return found
}

function renamed(meta: string, oldPath: string, newPath: string): { readonly old: FileAt; readonly new: FileAt } {
  const [oldMode = '', newMode = '', oldOid = '', newOid = ''] = meta.slice(1).split(' ')
  return { old: { path: oldPath, mode: oldMode, oid: oldOid }, new: { path: newPath, mode: newMode, oid: newOid } }
}

/** True if the lines of two versions of a file can be compared: both are files or both are symbolic links. */
export const isSameKind = (a: FileAt, b: FileAt): boolean =>
  entryType(a.mode) === entryType(b.mode) && isLink(a) === isLink(b)

const isLink = ({ mode }: FileAt): boolean => mode === MODE.symlink
