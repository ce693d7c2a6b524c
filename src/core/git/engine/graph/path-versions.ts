import { keysOf, mayContainAll, type PathKey } from './bloom.ts'
import type { SkipBounds } from './commit-graph.ts'
import type { RepoView } from './repo-view.ts'
import { UnsupportedError } from '../packs/unsupported-error.ts'

/** What an entry is in one commit: its mode and id; empty where it is not there. */
type Version = string

/** One path through the history: in which version it is in each commit, and whether two commits have the same. */
export class PathVersions {
  readonly #view: RepoView
  readonly #parts: readonly Buffer[]
  readonly #keys: readonly PathKey[]
  /** By id of the root tree, of the commits compared lately. */
  readonly #known = new Map<string, Version>()
  /** Where the entry of each part was in the tree that was read last: it is mostly there in the next one too. */
  readonly #hints: number[] = []

  constructor(view: RepoView, path: Buffer) {
    this.#view = view
    this.#parts = splitPath(path)
    this.#keys = path.length === 0 ? [] : keysOf(path)
  }

  /** True when a commit's filter says that it has the version of its first parent. */
  isSurelySame(position: number): boolean {
    const filter = this.#view.commits.filter(position)
    return filter !== undefined && !mayContainAll(filter, this.#keys)
  }

  /** The nearest commit by way of first parents that may have changed the path. */
  skipUnchanged(position: number, bounds: SkipBounds): number {
    return this.#view.commits.skipUnchanged(position, this.#keys, bounds)
  }

  isSame(position: number, parent: number): boolean {
    const { commits } = this.#view
    const tree = commits.tree(position)
    const other = commits.tree(parent)
    return tree.equals(other) || this.#versionIn(tree) === this.#versionIn(other)
  }

  /** Empty: the commit does not have the path. */
  version(position: number): Version {
    return this.#versionIn(this.#view.commits.tree(position))
  }

  /** The id of the directory at the path; undefined when there is none. */
  directory(position: number): Buffer | undefined {
    const root = this.#view.commits.tree(position)
    if (this.#parts.length === 0) return root
    const version = this.#versionIn(root)
    return version.startsWith('40000 ') ? Buffer.from(version.slice('40000 \0'.length), 'latin1') : undefined
  }

  #versionIn(root: Buffer): Version {
    const key = root.toString('latin1')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    const version = this.#find(root)
    this.#known.set(key, version)
    return version
  }

  #find(root: Buffer): Version {
    let tree = root
    for (const [index, part] of this.#parts.entries()) {
      const entry = this.#view.peekTree(tree).find(part, this.#hints[index])
      if (!entry) return ''
      this.#hints[index] = entry.start
      if (index === this.#parts.length - 1) return entry.version
      if (!entry.isTree) return ''
      tree = Buffer.from(entry.id)
    }
    return ''
  }
}

const MAX_KNOWN = 5_000
const SLASH = '/'

/** UnsupportedError for paths that git would write differently. */
function splitPath(path: Buffer): Buffer[] {
  if (path.length === 0) return []
  const parts = path.toString('latin1').split(SLASH)
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new UnsupportedError('an unusual path')
  return parts.map((part) => Buffer.from(part, 'latin1'))
}
