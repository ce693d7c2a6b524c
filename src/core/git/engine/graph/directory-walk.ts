import { PathKey } from './commit-graph.ts'
import { PathVersions } from './path-log.ts'
import { PositionQueue, type RepoView, type WalkResult, type Walk } from './repo-view.ts'

/** The commit that last changed each entry of a directory: names and ids, both hexadecimal. */
export type LastChanges = readonly (readonly [name: string, commit: string])[]

/** The last change of each entry of a directory as of one commit. */
interface DirectoryChanges {
  readonly position: number
  /** Positions by name, where a name is the latin1 text of its bytes. */
  readonly found: ReadonlyMap<string, number>
}

interface DirectoryResult extends WalkResult, DirectoryChanges {}

interface Followed {
  readonly version: string
  readonly key: PathKey
  readonly bytes: Buffer
  /** Its offset in the tree that was read last. */
  hint: number
}

const STEPS_AT_ONCE = 32
/** Up to this many names are searched one by one; more are compared by walking both trees. */
const MAX_SEARCHED = 8

/**
 * Finds the last commit that changed each entry of a directory, equal to `git log -1 -- entry`: an entry is followed to
 * the first parent that has the same version; if none has, the commit changed it. All entries are followed at once,
 * newest commit first, so that no commit is read twice. Yields regularly.
 */
export function* lastChanges(view: RepoView, commit: string, directory: string): Walk<LastChanges> {
  const { found } = yield* changesOf(view, view.commits.find(Buffer.from(commit, 'hex')), directory)
  const ids = new Map<number, string>()
  return [...found].map(([name, position]) => {
    const id = ids.get(position) ?? view.commits.id(position)
    ids.set(position, id)
    return [Buffer.from(name, 'latin1').toString('utf8'), id] as const
  })
}

/** The same result by position. */
function changesOf(view: RepoView, start: number, directory: string): Walk<DirectoryChanges> {
  return view.shared<DirectoryResult>({
    key: `directory ${directory}`,
    isAnswer: (result) => result.position === start,
    *compute(earlier) {
      const walk = new DirectoryWalk(view, Buffer.from(directory, 'utf8'), earlier)
      walk.begin(start)
      for (let step = 1; walk.step(); step++) if (step % STEPS_AT_ONCE === 0) yield 'working'
      return directoryResult(start, walk.found)
    },
  })
}

const directoryResult = (position: number, found: DirectoryChanges['found']): DirectoryResult => ({
  position,
  found,
  bytes: found.size * 100,
  moved: (to) => directoryResult(to(position), new Map([...found].map(([name, commit]) => [name, to(commit)]))),
})

class DirectoryWalk {
  readonly found = new Map<string, number>()
  readonly #view: RepoView
  readonly #prefix: string
  readonly #versions: PathVersions
  readonly #known: DirectoryChanges | undefined
  /** Unresolved names by the commit that has them. */
  readonly #open = new Map<number, Set<string>>()
  readonly #queue: PositionQueue
  /** The names in the directory with the versions to compare. */
  readonly #entries = new Map<string, Followed>()

  constructor(view: RepoView, directory: Buffer, known: DirectoryChanges | undefined) {
    this.#view = view
    this.#prefix = directory.length === 0 ? '' : `${directory.toString('latin1')}/`
    this.#versions = new PathVersions(view, directory)
    this.#known = known
    this.#queue = new PositionQueue((position) => view.commits.date(position))
  }

  begin(start: number): void {
    const directory = this.#versions.directory(start)
    if (!directory) return
    for (const [name, version] of this.#view.tree(directory).versions()) {
      const path = Buffer.from(this.#prefix + name, 'latin1')
      const bytes = path.subarray(this.#prefix.length)
      this.#entries.set(name, { version, key: new PathKey(path), bytes, hint: -1 })
    }
    this.#handOn(start, new Set(this.#entries.keys()))
  }

  /** Processes one commit; returns false at the end. */
  step(): boolean {
    if (this.#queue.size === 0) return false
    const position = this.#queue.pop()!
    const names = this.#open.get(position)!
    this.#open.delete(position)
    if (position === this.#known?.position) this.#take(names, this.#known)
    else this.#visit(position, names)
    return true
  }

  #take(names: ReadonlySet<string>, known: DirectoryChanges): void {
    for (const name of names) this.found.set(name, known.found.get(name)!)
  }

  #visit(position: number, names: Set<string>): void {
    let own = names
    for (const [index, parent] of this.#view.commits.parents(position).entries()) {
      const suspects = index === 0 ? this.#suspects(position, own) : own
      const changed = suspects.size === 0 ? suspects : this.#changed(position, parent, suspects)
      if (changed.size === 0) return this.#handOn(parent, own)
      if (changed.size === own.size) continue
      for (const name of changed) own.delete(name)
      this.#handOn(parent, own)
      own = changed
    }
    for (const name of own) this.found.set(name, position)
  }

  /** Assigns the names to a commit. NOTE: takes ownership of the set. */
  #handOn(position: number, names: Set<string>): void {
    const waiting = this.#open.get(position)
    if (!waiting) {
      this.#open.set(position, names)
      this.#queue.push(position)
      return
    }
    const [larger, smaller] = waiting.size < names.size ? [names, waiting] : [waiting, names]
    for (const name of smaller) larger.add(name)
    this.#open.set(position, larger)
  }

  /** Names that the commit may have changed relative to its first parent, according to its filter. */
  #suspects(position: number, names: Set<string>): Set<string> {
    if (this.#versions.isSurelySame(position)) return new Set()
    const filter = this.#view.commits.filter(position)
    if (!filter) return names
    const suspects = new Set<string>()
    for (const name of names) if (this.#entries.get(name)!.key.mayBeIn(filter)) suspects.add(name)
    return suspects
  }

  /** Names that the parent lacks or has in another version. */
  #changed(position: number, parent: number, names: Set<string>): Set<string> {
    const mine = this.#versions.directory(position)!
    const theirs = this.#versions.directory(parent)
    if (theirs === undefined) return names
    const changed = new Set<string>()
    if (theirs.equals(mine)) return changed
    if (names.size <= MAX_SEARCHED) {
      const tree = this.#view.peekTree(theirs)
      // All names here still have their initial version; otherwise they would have been found.
      for (const name of names) {
        const entry = this.#entries.get(name)!
        const found = tree.find(entry.bytes, entry.hint)
        if (found) entry.hint = found.start
        if (found?.version !== entry.version) changed.add(name)
      }
    } else {
      const [tree, other] = this.#view.peekTrees(mine, theirs)
      tree.differences(other, (name) => {
        if (names.has(name)) changed.add(name)
      })
    }
    return changed
  }
}
