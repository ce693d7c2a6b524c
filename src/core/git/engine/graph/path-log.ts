import { PathVersions } from './path-versions.ts'
import { PositionFlags } from './position-flags.ts'
import { PositionQueue } from './position-queue.ts'
import type { RepoView, WalkResult } from './repo-view.ts'
import type { Walk } from './walk.ts'

/** Commits reachable from `tip`, as git log shows them. */
export interface LogRange {
  readonly tip: string
  /** Only commits that change this file or directory, without slashes at its ends. */
  readonly path?: string
  /** Committer times, epoch seconds, inclusive. */
  readonly since?: number
  readonly until?: number
}

/** Positions of commits in the order of the log. */
interface LogResult extends WalkResult {
  readonly tip: number
  readonly commits: Int32Array
}

const STEPS_AT_ONCE = 16
const MAX_SKIPPED = 1024

/**
 * The commits of the range by position, newest first. With a path, history is simplified as git does by default: of a
 * merge that has the path as one of its parents has it, only the first such parent is followed. Yields now and then.
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

/** The first commit of the range; undefined when there is none. */
export function* firstOf(view: RepoView, range: LogRange): Walk<string | undefined> {
  const walk = new LogWalk(view, range, { tip: view.commits.find(Buffer.from(range.tip, 'hex')) })
  for (let step = 1; walk.found.length === 0 && walk.step(); step++) if (step % STEPS_AT_ONCE === 0) yield 'working'
  return walk.found[0] === undefined ? undefined : view.commits.id(walk.found[0])
}

function* walkLog(walk: LogWalk, earlier: LogResult | undefined): Walk<Int32Array> {
  for (let step = 1; ; step++) {
    // From the one commit that is left on, the log is that of an earlier answer.
    if (earlier && walk.next === earlier.tip && walk.isAlone) {
      const joined = joinLogs(walk.found, earlier.commits)
      if (joined) return joined
    }
    if (!walk.step()) return Int32Array.from(walk.found)
    if (step % STEPS_AT_ONCE === 0) yield 'working'
  }
}

/** Undefined when one of the newer commits is among the older ones too, which wrong clocks make possible. */
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

  /** `stop` is never skipped: the tip of an earlier answer. */
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

  /** True when no commit waits besides the next. */
  get isAlone(): boolean {
    return this.#queue.size === 0
  }

  /** False at the end. */
  step(): boolean {
    const position = this.#next
    if (position === undefined) return false
    this.#visit(position)
    this.#next = this.#skip(this.#queue.pop())
    return true
  }

  /**
   * Goes past commits that did not change the path. NOTE: only while no other commit waits, as then nothing can lead to
   * those that are skipped, which are not marked as seen.
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
    // NOTE: as git does, history behind a commit that is too old is not looked at, whatever its dates.
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

  /** A commit without parents changes the path when it has it. */
  #isShown(position: number, parents: readonly number[]): boolean {
    return !this.#versions || parents.length > 0 || this.#versions.version(position) !== ''
  }
}
