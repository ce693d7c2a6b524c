import type { GraphPart } from '../commit-graph.ts'
import type { RepoView } from '../repo-view.ts'
import { UnsupportedError } from '../../packs/unsupported-error.ts'
import { usedMs } from '../used-ms.ts'
import type { Walk } from '../walk.ts'
import { changedPaths } from './changed-paths.ts'
import { encodePathIndex, type PathIndexFile } from './path-index-file.ts'
import { pathIndexName, readPathIndexFile } from './path-index.ts'

/** Of one commit-graph file: 64 MB while it is built. */
const MAX_CHANGES = 8_000_000
const MAX_PATH_BYTES = 16 * 1024 * 1024
/** Commits are packed into numbers with their marks. */
const MAX_COMMITS = 2 ** 24
/** Defaults of `BuildOptions`. */
const MIN_COMMITS = 1_000
const MAX_MS = 30_000

export interface BuildOptions {
  /** Shorter histories are walked in a moment. */
  readonly minCommits?: number
  /**
   * Milliseconds of processor time of one run, after which it ends; the next run goes on. One commit is always read.
   */
  readonly maxMs?: number
}

export interface BuiltPathIndex {
  /** Of the file. */
  readonly name: string
  /** Undefined: the one there is stays. */
  readonly data: Uint8Array | undefined
}

/**
 * What is to be in the folder of the commit-graph so that the log of every path is known: one file for each file of the
 * graph. Others there are of no use. Those that exist already are not built again.
 */
export function* buildPathIndexes(
  view: RepoView,
  { minCommits = MIN_COMMITS, maxMs = MAX_MS }: BuildOptions = {},
): Walk<BuiltPathIndex[]> {
  const parts = view.graph?.parts ?? []
  if (parts.reduce((sum, { count }) => sum + count, 0) < minCommits) return []
  const built: BuiltPathIndex[] = []
  const budget = { ms: maxMs }
  // The newest first: they are few and are asked for most.
  for (const part of parts.toReversed()) {
    if (part.count > MAX_COMMITS) continue
    const known = readPathIndexFile(view.directories, part)
    const data = known?.isComplete ? undefined : yield* build(view, part, { known, budget })
    built.push({ name: pathIndexName(part.hash), data })
  }
  return built
}

interface Earlier {
  readonly known: PathIndexFile | undefined
  readonly budget: { ms: number }
}

function* build(view: RepoView, part: GraphPart, { known, budget }: Earlier): Walk<Uint8Array> {
  const changes = new Changes(part.count)
  if (known) changes.take(known)
  const order = missing(view, part, known)
  let isComplete = true
  for (const [index, commit] of order.entries()) {
    if (changes.isFull) break
    if (budget.ms <= 0 && index > 0) {
      isComplete = false
      break
    }
    const walk = cover(view, part.begin + commit, (path, mark) => changes.add(path, commit, mark))
    for (let isDone = false; !isDone;) {
      const begin = usedMs()
      const step = walk.next()
      if (step.done) changes.end(commit, step.value)
      isDone = step.done === true
      budget.ms -= usedMs() - begin
      yield 'working'
    }
  }
  return yield* changes.encode(isComplete)
}

/** What cannot be read stays uncovered. */
function* cover(view: RepoView, position: number, visit: (path: string, mark: number) => void): Walk<boolean> {
  try {
    return yield* changedPaths(view, position, visit)
  } catch (error) {
    if (error instanceof UnsupportedError) return false
    throw error
  }
}

/** The commits that are not covered, newest first: neighbours in time have similar trees. */
function missing(view: RepoView, part: GraphPart, known: PathIndexFile | undefined): Uint32Array {
  const commits = Array.from({ length: part.count }, (_, commit) => commit)
  const dates = new Float64Array(part.count)
  for (const commit of commits) dates[commit] = view.commits.date(part.begin + commit)
  return Uint32Array.from(commits.filter((commit) => known?.isCovered(commit) !== true)).sort(
    (a, b) => dates[b]! - dates[a]!,
  )
}

/** Changes of many commits, packed: objects would take gigabytes. */
class Changes {
  readonly #commits: number
  readonly #covered: Uint8Array
  /** Number of each path. */
  readonly #numbers = new Map<string, number>()
  #pathBytes = 0
  #paths = new Uint32Array(1 << 16)
  /** Commit and mark. */
  #values = new Uint32Array(1 << 16)
  #count = 0
  /** How many there were when the commit began. */
  #kept = 0

  constructor(commits: number) {
    this.#commits = commits
    this.#covered = new Uint8Array(Math.ceil(commits / 8))
  }

  get isFull(): boolean {
    return this.#count >= MAX_CHANGES || this.#pathBytes >= MAX_PATH_BYTES
  }

  add(path: string, commit: number, mark: number): void {
    if (this.#count === this.#paths.length) {
      this.#paths = doubled(this.#paths)
      this.#values = doubled(this.#values)
    }
    this.#paths[this.#count] = this.#number(path)
    this.#values[this.#count++] = commit * 256 + mark
  }

  /** After the last change of a commit. `isCovered`: false when they are not all. */
  end(commit: number, isCovered: boolean): void {
    if (isCovered) {
      this.#covered[commit >>> 3]! |= 1 << (commit & 7)
      this.#kept = this.#count
    } else this.#count = this.#kept
  }

  take(file: PathIndexFile): void {
    this.#covered.set(file.covered)
    for (let index = 0; index < file.paths; index++) {
      const path = file.path(index).toString('latin1')
      file.changes(index, (commit, mark) => this.add(path, commit, mark))
    }
    this.#kept = this.#count
  }

  encode(isComplete: boolean): Walk<Buffer> {
    const { starts, values } = this.#byPath()
    const names = [...this.#numbers.keys()]
    const used = Array.from(names.keys()).filter((number) => starts[number] !== starts[number + 1])
    const order = used.toSorted((a, b) => (names[a]! < names[b]! ? -1 : 1))
    return encodePathIndex({
      commits: this.#commits,
      covered: this.#covered,
      isComplete,
      paths: order.map((number) => names[number]!),
      *changes(index) {
        const number = order[index]!
        let before = -1
        for (const value of values.subarray(starts[number]!, starts[number + 1]!)) {
          // A path that is a directory on one side only comes twice.
          if (value !== before) yield { commit: value >>> 8, mark: value & 255 }
          before = value
        }
      },
    })
  }

  /** The values of each path in order, and where they begin. */
  #byPath(): { readonly starts: Uint32Array; readonly values: Uint32Array } {
    const starts = new Uint32Array(this.#numbers.size + 1)
    for (let at = 0; at < this.#count; at++) starts[this.#paths[at]! + 1]!++
    for (let number = 1; number < starts.length; number++) starts[number]! += starts[number - 1]!
    const next = starts.slice()
    const values = new Uint32Array(this.#count)
    for (let at = 0; at < this.#count; at++) values[next[this.#paths[at]!]!++] = this.#values[at]!
    for (let number = 0; number + 1 < starts.length; number++)
      values.subarray(starts[number]!, starts[number + 1]!).sort()
    return { starts, values }
  }

  #number(path: string): number {
    const known = this.#numbers.get(path)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(path, number)
    this.#pathBytes += path.length
    return number
  }
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
