import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { ObjectFormat } from '../object/format.ts'
import { type CommitGraph, loadCommitGraph } from './commit-graph.ts'
import { Commits } from './commits.ts'
import { ObjectStore, type StoreCaches } from '../packs/object-store.ts'
import { RecentCache } from '../packs/recent-cache.ts'
import { TreeBytes } from '../packs/tree-bytes.ts'
import { UnsupportedError } from '../packs/unsupported-error.ts'

/** A long computation in steps, so that several can alternate. `waiting`: it needs the result of another walk. */
export type Walk<T> = Generator<'waiting' | 'working', T, undefined>

/** Maximum commits looked up in one repository: a tenth of a second. */
const MAX_FOUND = 50_000
/** Maximum of these that are read because the graph lacks them. */
const MAX_READ = 64

/**
 * Maps positions of one view to another view of the same repository. Throws UnsupportedError if a commit is missing,
 * and for all further commits after too many lookups.
 */
function movedPositions(from: Commits, to: Commits): (position: number) => number {
  const same = to.sharedWith(from)
  const known = new Map<number, number>()
  let read = 0

  function find(position: number): number {
    if (known.size === MAX_FOUND) throw new UnsupportedError('too many commits have moved')
    const id = from.rawId(position)
    const found = to.findInGraph(id)
    if (found !== undefined) return found
    if (++read > MAX_READ) throw new UnsupportedError('too many commits are not in the commit-graph')
    return to.find(id)
  }

  return (position) => {
    if (position < same) return position
    const moved = known.get(position) ?? find(position)
    known.set(position, moved)
    return moved
  }
}

/** Maximum bytes, per repository, of located tree entries and of walk results. */
const MAX_TREE_BYTES = 4 * 1024 * 1024
const MAX_RESULT_BYTES = 8 * 1024 * 1024

interface ViewOptions {
  readonly caches: StoreCaches
  /** The preceding view of the same repository. */
  readonly earlier?: RepoView | undefined
}

/** The result of a walk, which later walks reuse. */
export interface WalkResult {
  /** Bytes in memory. */
  readonly bytes: number
  /** Converts the result to positions of a later view; a result without this method ends with its view. */
  moved?(to: (position: number) => number): WalkResult
}

interface SharedWalk<R extends WalkResult> {
  /** Equal for walks of which a newer one can reuse the result of an older one. */
  readonly key: string
  /** True if an earlier result is the answer. */
  isAnswer(result: R): boolean
  /** `earlier` is the last result with this key. */
  compute(earlier: R | undefined): Walk<R>
}

/**
 * The commits and trees of one repository as of its opening. Nothing in it becomes wrong, since commits never change.
 * `isCurrent` is false once maintenance has written a new graph, which makes walks faster. A view takes over its
 * predecessor's results; otherwise maintenance after every push would slow down the log of each path.
 */
export class RepoView {
  readonly path: string
  readonly idBytes: number
  readonly commits: Commits
  readonly graph: CommitGraph | undefined
  readonly #results = new LRUCache<string, WalkResult>({
    maxSize: MAX_RESULT_BYTES,
    sizeCalculation: ({ bytes }, key) => bytes + key.length * 2 + 200,
  })
  readonly #running = new Set<string>()
  readonly #store: ObjectStore
  readonly #stamp: string
  #trees = new RecentCache<string, TreeBytes>(MAX_TREE_BYTES, ({ bytes }) => bytes.length * 2 + 300)
  #isEnded = false

  constructor(path: string, format: ObjectFormat, { caches, earlier }: ViewOptions) {
    this.path = path
    this.idBytes = format === 'sha1' ? 20 : 32
    this.#stamp = stampOf(path)
    this.#store = new ObjectStore(join(path, 'objects'), this.idBytes, caches)
    try {
      this.graph = loadCommitGraph(this.#store.directories, this.idBytes)
      this.commits = new Commits(this.graph, this.#store, this.idBytes)
      if (earlier) this.#takeOver(earlier)
    } catch (error) {
      this.#store.close()
      throw error
    }
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.commits.bytes + this.#store.bytes + MAX_TREE_BYTES + this.#results.calculatedSize
  }

  isCurrent(): boolean {
    return !this.#isEnded && stampOf(this.path) === this.#stamp
  }

  /** Runs a walk unless its result is known; of equal concurrent walks only one runs. */
  *shared<R extends WalkResult>({ key, isAnswer, compute }: SharedWalk<R>): Walk<R> {
    while (this.#running.has(key)) yield 'waiting'
    const earlier = this.#results.get(key) as R | undefined
    if (earlier && isAnswer(earlier)) return earlier
    this.#running.add(key)
    try {
      const result = yield* compute(earlier)
      this.#results.set(key, result)
      return result
    } finally {
      this.#running.delete(key)
    }
  }

  tree(id: Buffer): TreeBytes {
    const key = id.toString('latin1')
    const known = this.#trees.get(key)
    if (known) return known
    const tree = new TreeBytes(this.#store.read(id), this.idBytes)
    this.#trees.set(key, tree)
    return tree
  }

  /** The same without a copy: the bytes are valid until another tree is read. */
  peekTree(id: Buffer): TreeBytes {
    const packed = this.#store.peek(id)
    return packed ? new TreeBytes(packed, this.idBytes) : this.tree(id)
  }

  /** Two trees, as in `peekTree`. */
  peekTrees(left: Buffer, right: Buffer): readonly [TreeBytes, TreeBytes] {
    const first = this.peekTree(left)
    const turns = this.#store.turns
    const second = this.peekTree(right)
    return this.#store.turns - turns < 2 ? [first, second] : [this.tree(left), this.tree(right)]
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Ends the view: only walks that have begun continue. */
  end(): void {
    this.#isEnded = true
  }

  /** Closes the files. Memory is kept for the next view of the repository. */
  close(): void {
    this.#store.close()
  }

  #takeOver(earlier: RepoView): void {
    this.#trees = earlier.#trees
    const to = movedPositions(earlier.commits, this.commits)
    const moved: [string, WalkResult][] = []
    // Most recently used results first, in case not all can be converted.
    for (const [key, result] of earlier.#results.entries()) {
      const found = result.moved && unlessUnsupported(() => result.moved!(to))
      if (found) moved.push([key, found])
    }
    for (const [key, result] of moved.reverse()) this.#results.set(key, result)
  }
}

function unlessUnsupported<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined
    throw error
  }
}

/** Identifies the files of a view. Throws UnsupportedError if git itself would see other commits. */
function stampOf(path: string): string {
  for (const name of ['shallow', 'info/grafts'])
    if (stat(join(path, name)) !== undefined) throw new UnsupportedError(`the repository has ${name}`)
  return ['info/commit-graph', 'info/commit-graphs/commit-graph-chain', 'info/alternates']
    .map((name) => {
      const found = stat(join(path, 'objects', name))
      return found === undefined ? '' : `${found.ino} ${found.mtimeMs} ${found.size}`
    })
    .join(',')
}

const stat = (path: string) => statSync(path, { throwIfNoEntry: false })

/** Positions ordered by rank, highest first; equal ranks in insertion order, as in git's queues. */
export class PositionQueue {
  readonly #rank: (position: number) => number
  readonly #positions: number[] = []
  readonly #ranks: number[] = []
  readonly #turns: number[] = []
  #turn = 0

  constructor(rank: (position: number) => number) {
    this.#rank = rank
  }

  get size(): number {
    return this.#positions.length
  }

  push(position: number): void {
    const rank = this.#rank(position)
    const turn = this.#turn++
    let at = this.#positions.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      // A later position precedes another one only by rank.
      if (rank <= this.#ranks[parent]!) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(at, { position, rank, turn })
  }

  pop(): number | undefined {
    const first = this.#positions[0]
    const last = { position: this.#positions.pop()!, rank: this.#ranks.pop()!, turn: this.#turns.pop()! }
    if (this.#positions.length > 0) this.#sink(last)
    return first
  }

  #sink(entry: QueueEntry): void {
    const size = this.#positions.length
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && this.#isBefore(child + 1, this.#ranks[child]!, this.#turns[child]!)) child++
      if (!this.#isBefore(child, entry.rank, entry.turn)) break
      this.#move(child, at)
      at = child
    }
    this.#put(at, entry)
  }

  #isBefore(at: number, rank: number, turn: number): boolean {
    const own = this.#ranks[at]!
    return own > rank || (own === rank && this.#turns[at]! < turn)
  }

  #move(from: number, to: number): void {
    this.#positions[to] = this.#positions[from]!
    this.#ranks[to] = this.#ranks[from]!
    this.#turns[to] = this.#turns[from]!
  }

  #put(at: number, { position, rank, turn }: QueueEntry): void {
    this.#positions[at] = position
    this.#ranks[at] = rank
    this.#turns[at] = turn
  }
}

interface QueueEntry {
  readonly position: number
  readonly rank: number
  readonly turn: number
}
