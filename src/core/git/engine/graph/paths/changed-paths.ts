import type { RepoView } from '../repo-view.ts'
import { TreeBytes, type TreePlace } from '../../packs/tree-bytes.ts'
import type { Walk } from '../walk.ts'
import { MARK, markOfParent } from './path-index-file.ts'

/** Of one commit; one that changes more is not covered by an index. */
const MAX_PATHS = 50_000
const MAX_PATH_BYTES = 4096
const MAX_DEPTH = 200
const MAX_PARENTS = 64
/** Directories compared between two yields. */
const DIRECTORIES_AT_ONCE = 8

/** One directory of a commit, of its first parent and of its other parents; undefined where one does not have it. */
interface Directory {
  /** Empty, or ends in a slash. */
  readonly prefix: string
  readonly depth: number
  readonly mine: TreeBytes | undefined
  readonly first: TreeBytes | undefined
  readonly others: readonly (TreeBytes | undefined)[]
}

type Entry = TreePlace | undefined

/**
 * Calls `visit` with every path (latin1) that a commit has otherwise than its first parent: files, and the directories
 * above them. A path comes twice when it is a directory on one side only. False when there are too many. Yields now and
 * then.
 */
export function* changedPaths(
  view: RepoView,
  position: number,
  visit: (path: string, mark: number) => void,
): Walk<boolean> {
  const [first, ...others] = view.commits.parents(position).map((parent) => view.commits.tree(parent))
  const root = view.commits.tree(position)
  if (others.length > MAX_PARENTS) return false
  if (first?.equals(root)) return true
  const open: Directory[] = [
    {
      prefix: '',
      depth: 0,
      mine: view.tree(root),
      first: first && view.tree(first),
      others: others.map((id) => view.tree(id)),
    },
  ]
  let paths = 0
  for (let step = 1; open.length > 0; step++) {
    const directory = open.pop()!
    if (directory.depth === MAX_DEPTH || directory.prefix.length > MAX_PATH_BYTES) return false
    for (const [mine, first] of entriesThatDiffer(view, directory)) {
      if (++paths > MAX_PATHS) return false
      visit(directory.prefix + nameOf(directory, mine, first), markOf(directory, mine, first))
      const inner = innerOf(view, directory, mine, first)
      if (inner) open.push(inner)
    }
    if (step % DIRECTORIES_AT_ONCE === 0) yield 'working'
  }
  return true
}

function entriesThatDiffer(view: RepoView, { mine, first }: Directory): [Entry, Entry][] {
  const none = new TreeBytes(Buffer.alloc(0), view.idBytes)
  const found: [Entry, Entry][] = []
  ;(mine ?? none).compare(first ?? none, (own, other) => found.push([own, other]))
  return found
}

const nameOf = ({ mine, first }: Directory, own: Entry, other: Entry): string =>
  own ? mine!.name(own) : first!.name(other!)

/** Which of the other parents is the first to have the entry as the commit has it. */
function markOf(directory: Directory, own: Entry, other: Entry): number {
  if (directory.others.length === 0) return MARK.changed
  const name = Buffer.from(nameOf(directory, own, other), 'latin1')
  // NOTE: not only `own`: what is here the entry of a file may be that of a directory in the same tree.
  const version = own ? directory.mine!.version(own) : directory.mine?.find(name)?.version
  const index = directory.others.findIndex((tree) => tree?.find(name, own?.start)?.version === version)
  return index === -1 ? MARK.changed : markOfParent(index + 1)
}

function innerOf(view: RepoView, directory: Directory, own: Entry, other: Entry): Directory | undefined {
  const { prefix, depth, mine, first, others } = directory
  const below = (tree: TreeBytes | undefined, entry: Entry): TreeBytes | undefined =>
    tree && entry && tree.isTree(entry) ? view.tree(tree.id(entry)) : undefined
  const inner = { mine: below(mine, own), first: below(first, other) }
  if (!inner.mine && !inner.first) return undefined
  const name = nameOf(directory, own, other)
  const bytes = Buffer.from(name, 'latin1')
  return {
    ...inner,
    prefix: `${prefix}${name}/`,
    depth: depth + 1,
    others: others.map((tree) => {
      const found = tree?.find(bytes, own?.start)
      return found?.isTree ? view.tree(found.id) : undefined
    }),
  }
}
