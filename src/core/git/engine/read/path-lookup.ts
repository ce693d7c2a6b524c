import type { TreeEntry } from '../object/tree.ts'

type Directory = ReadonlyMap<string, TreeEntry>

/** Finds the entry at a path of one tree, such as `a/b.txt`; undefined if there is none. */
export type PathLookup = (path: string) => Promise<TreeEntry | undefined>

/**
 * Looks up many paths in one tree. Reads each directory once; a lookup in a cached directory takes constant time.
 * `root` undefined means the empty tree.
 */
export function createPathLookup(
  readTree: (oid: string) => Promise<readonly TreeEntry[]>,
  root: string | undefined,
): PathLookup {
  const directories = new Map<string, Promise<Directory | undefined>>()

  const load = async (oid: string): Promise<Directory> =>
    new Map((await readTree(oid)).map((entry) => [entry.name, entry]))

  function directoryAt(path: string): Promise<Directory | undefined> {
    const known = directories.get(path)
    if (known) return known
    const loading = path === '' ? loadRoot() : loadBelow(path)
    directories.set(path, loading)
    return loading
  }

  const loadRoot = async (): Promise<Directory | undefined> => (root === undefined ? undefined : load(root))

  async function loadBelow(path: string): Promise<Directory | undefined> {
    const entry = await find(path)
    return entry?.type === 'tree' ? load(entry.oid) : undefined
  }

  async function find(path: string): Promise<TreeEntry | undefined> {
    const slash = path.lastIndexOf('/')
    const directory = await directoryAt(slash === -1 ? '' : path.slice(0, slash))
    return directory?.get(path.slice(slash + 1))
  }

  return find
}
