import { PositionQueue, type RepoView, type WalkResult, type Walk } from './repo-view.ts'
import { keysOf, mayContainAll, type PathKey, type SkipBounds } from './commit-graph.ts'
import { UnsupportedError } from '../packs/unsupported-error.ts'

/** Mode and id of an entry in one commit; empty if the commit lacks it. */
type Version = string

/** The versions of one path through the history: which one a commit has, and whether two commits have the same. */
export class PathVersions {
  readonly #view: RepoView
  readonly #parts: readonly Buffer[]
  readonly #keys: readonly PathKey[]
  /** Versions by root tree id, for the commits compared recently. */
  readonly #known = new Map<string, Version>()
  /** Offset of each part's entry in the tree that was read last: the next tree mostly has it at the same offset. */
  readonly #hints: number[] = []

  constructor(view: RepoView, path: Buffer) {
    this.#view = view
    this.#parts = splitPath(path)
    this.#keys = path.length === 0 ? [] : keysOf(path)
  }

  /** True if a commit's filter proves that it has the same version as its first parent. */
  isSurelySame(position: number): boolean {
    const filter = this.#view.commits.filter(position)
    return filter !== undefined && !mayContainAll(filter, this.#keys)
  }

  /** The nearest commit along first parents that may have changed the path. */
  skipUnchanged(position: number, bounds: SkipBounds): number {
    return this.#view.commits.skipUnchanged(position, this.#keys, bounds)
  }

  isSame(position: number, parent: number): boolean {
    const { commits } = this.#view
    const tree = commits.tree(position)
    const other = commits.tree(parent)
    return tree.equals(other) || this.#versionIn(tree) === this.#versionIn(other)
  }

  /** Empty if the commit lacks the path. */
  version(position: number): Version {
    return this.#versionIn(this.#view.commits.tree(position))
  }

  /** The id of the directory at the path; undefined if there is none. */
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

/** Throws UnsupportedError for paths that git would normalize. */
function splitPath(path: Buffer): Buffer[] {
  if (path.length === 0) return []
  const parts = path.toString('latin1').split(SLASH)
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new UnsupportedError('an unusual path')
  return parts.map((part) => Buffer.from(part, 'latin1'))
}

const FIRST_SIZE = 4096

/** A byte of flags for every position, initially 0. Grows with the positions. */
export class PositionFlags {
  #flags = new Uint8Array(FIRST_SIZE)

  get(position: number): number {
    return this.#flags[position] ?? 0
  }

  set(position: number, flags: number): void {
    if (position >= this.#flags.length) this.#grow(position)
    this.#flags[position] = flags
  }

  /** Adds the position and returns true if it was not there. */
  enter(position: number): boolean {
    if (this.get(position) !== 0) return false
    this.set(position, 1)
    return true
  }

  #grow(position: number): void {
    const larger = new Uint8Array(Math.max(position + 1, this.#flags.length * 2))
    larger.set(this.#flags)
    this.#flags = larger
  }
}

/** Commits reachable from `tip`, in git log's terms. */
export interface LogRange {
  readonly tip: string
  /** Only commits that change this file or directory; no leading or trailing slash. */
  readonly path?: string
  /** Committer times in epoch seconds, inclusive. */
  readonly since?: number
  readonly until?: number
}

/** Positions of commits in log order. */
interface LogResult extends WalkResult {
  readonly tip: number
  readonly commits: Int32Array
}

const STEPS_AT_ONCE = 16
const MAX_SKIPPED = 1024

/**
 * The commits of the range by position, newest first. With a path, history is simplified as git does by default: of a
 * merge with the same path version as some of its parents, only the first such parent is followed. Yields regularly.
 */
export function* logOf(view: RepoView, range: LogRange): Walk<Int32Array> {
  const tip = view.commits.find(Buffer.from(range.tip, 'hex'))
  const { commits } = yield* view.shared<LogResult>({
    key: `log ${JSON.stringify([range.path, range.since, range.until])}`,
    isAnswer: (result) => result.tip === tip,
    *compute(earlier) {
      const found = yield* walkLog(new LogWalk(view, range, { tip, stop: earlier?.tip }), earlier)
      return logResult(tip, found)
    },
  })
  return commits
}

const logResult = (tip: number, commits: Int32Array): LogResult => ({
  tip,
  commits,
  bytes: commits.byteLength,
  moved: (to) => logResult(to(tip), commits.map(to)),
})

/** The first commit of the range; undefined if the range is empty. */
export function* firstOf(view: RepoView, range: LogRange): Walk<string | undefined> {
  const walk = new LogWalk(view, range, { tip: view.commits.find(Buffer.from(range.tip, 'hex')) })
  for (let step = 1; walk.found.length === 0 && walk.step(); step++) if (step % STEPS_AT_ONCE === 0) yield 'working'
  return walk.found[0] === undefined ? undefined : view.commits.id(walk.found[0])
}

function* walkLog(walk: LogWalk, earlier: LogResult | undefined): Walk<Int32Array> {
  for (let step = 1; ; step++) {
    // Only one commit remains, the tip of an earlier answer, so the rest of the log is that answer.
    if (earlier && walk.next === earlier.tip && walk.isAlone) {
      const joined = joinLogs(walk.found, earlier.commits)
      if (joined) return joined
    }
    if (!walk.step()) return Int32Array.from(walk.found)
    if (step % STEPS_AT_ONCE === 0) yield 'working'
  }
}

/** Undefined if one of the newer commits is also among the older ones, which wrong clocks make possible. */
function joinLogs(newer: readonly number[], older: Int32Array): Int32Array | undefined {
  const first = new Set(newer)
  if (newer.length > 0 && older.some((position) => first.has(position))) return undefined
  const joined = new Int32Array(newer.length + older.length)
  joined.set(newer)
  joined.set(older, newer.length)
  return joined
}

class LogWalk {
  readonly found: number[] = []
  readonly #view: RepoView
  readonly #range: LogRange
  readonly #versions: PathVersions | undefined
  readonly #queue: PositionQueue
  readonly #seen = new PositionFlags()
  readonly #stop: number | undefined
  #next: number | undefined

  /** `stop`, the tip of an earlier answer, is never skipped. */
  constructor(view: RepoView, range: LogRange, { tip, stop }: { tip: number; stop?: number | undefined }) {
    this.#stop = stop
    this.#view = view
    this.#range = range
    const path = Buffer.from(range.path ?? '', 'utf8')
    this.#versions = path.length > 0 ? new PathVersions(view, path) : undefined
    this.#queue = new PositionQueue((position) => view.commits.date(position))
    this.#seen.enter(tip)
    this.#next = tip
  }

  /** The commit of the next step. */
  get next(): number | undefined {
    return this.#next
  }

  /** True if no other commit is queued. */
  get isAlone(): boolean {
    return this.#queue.size === 0
  }

  /** Returns false at the end. */
  step(): boolean {
    const position = this.#next
    if (position === undefined) return false
    this.#visit(position)
    this.#next = this.#skip(this.#queue.pop())
    return true
  }

  /**
   * Skips commits that did not change the path. NOTE: only while no other commit is queued: the skipped commits are not
   * marked as seen, and nothing else may lead to them.
   */
  #skip(position: number | undefined): number | undefined {
    if (position === undefined || !this.#versions || this.#queue.size > 0 || this.#range.since !== undefined)
      return position
    return this.#versions.skipUnchanged(position, { steps: MAX_SKIPPED, stop: this.#stop })
  }

  #visit(position: number): void {
    const { commits } = this.#view
    const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = this.#range
    const date = commits.date(position)
    // NOTE: as in git, history behind a commit that is too old is not searched, whatever its dates.
    if (date < since) return
    const parents = commits.parents(position)
    const same = this.#sameParent(position, parents)
    if (same === undefined && date <= until && this.#isShown(position, parents)) this.found.push(position)
    for (const parent of same === undefined ? parents : [same]) {
      if (this.#seen.enter(parent)) this.#queue.push(parent)
    }
  }

  #sameParent(position: number, parents: readonly number[]): number | undefined {
    const versions = this.#versions
    if (!versions) return undefined
    if (parents.length > 0 && versions.isSurelySame(position)) return parents[0]
    return parents.find((parent) => versions.isSame(position, parent))
  }

  /** A commit without parents changes the path if it has it. */
  #isShown(position: number, parents: readonly number[]): boolean {
    return !this.#versions || parents.length > 0 || this.#versions.version(position) !== ''
  }
}
