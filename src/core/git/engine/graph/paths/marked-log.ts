import type { CommitGraph } from '../commit-graph.ts'
import type { Walk } from '../walk.ts'
import { MARK, parentOfMark } from './path-index-file.ts'

const STEPS_AT_ONCE = 2048
const FIRST_SIZE = 256

export interface MarkedLogOptions {
  readonly tip: number
  /** How each commit has the path: see `MARK`; changed to what `resolve` gives for unknown ones. */
  readonly marks: Uint8Array
  readonly resolve: (position: number) => number
  /** Committer times, epoch seconds, inclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Commits to stop after. */
  readonly limit?: number
}

/**
 * The log of a path as `logOf` has it, among the commits of a graph, from what an index tells: tens of thousands of
 * commits in a millisecond or two. Yields now and then.
 */
export function* markedLog(graph: CommitGraph, options: MarkedLogOptions): Walk<Int32Array> {
  const { limit = Number.POSITIVE_INFINITY } = options
  const walk = new MarkedWalk(graph, options)
  for (let step = 1; walk.found.length < limit && walk.step(); step++) if (step % STEPS_AT_ONCE === 0) yield 'working'
  return new Int32Array(walk.found)
}

class MarkedWalk {
  readonly found: number[] = []
  readonly #graph: CommitGraph
  readonly #marks: Uint8Array
  readonly #resolve: (position: number) => number
  readonly #since: number
  readonly #until: number
  readonly #queue: DateQueue
  readonly #seen: Uint8Array
  /** -1 at the end. */
  #next: number

  constructor(graph: CommitGraph, { tip, marks, resolve, since, until }: MarkedLogOptions) {
    this.#graph = graph
    this.#marks = marks
    this.#resolve = resolve
    this.#since = since ?? Number.NEGATIVE_INFINITY
    this.#until = until ?? Number.POSITIVE_INFINITY
    this.#queue = new DateQueue(graph.dates)
    this.#seen = new Uint8Array(graph.count)
    this.#next = this.#enter(tip)
  }

  /** False at the end. */
  step(): boolean {
    const position = this.#next
    if (position < 0) return false
    const only = this.#visit(position)
    // A parent that is newer than all that wait is the next one.
    if (only >= 0 && this.#queue.isNewest(only)) this.#next = only
    else {
      if (only >= 0) this.#queue.push(only)
      this.#next = this.#queue.pop()
    }
    return true
  }

  /** The one commit to go on from, which is not in the queue yet; -1: none, or they are in the queue. */
  #visit(position: number): number {
    const { dates, firstTwo } = this.#graph
    // NOTE: as git does, history behind a commit that is too old is not looked at, whatever its dates.
    if (dates[position]! < this.#since) return -1
    let mark = this.#marks[position]!
    if (mark === MARK.unknown) this.#marks[position] = mark = this.#resolve(position)
    if (mark === MARK.same) return this.#enter(firstTwo[position * 2]!)
    if (mark !== MARK.changed) return this.#enter(this.#graph.parents(position)[parentOfMark(mark)]!)
    if (dates[position]! <= this.#until) this.found.push(position)
    if (firstTwo[position * 2 + 1]! < 0 && !this.#graph.hasMany(position)) return this.#enter(firstTwo[position * 2]!)
    for (const parent of this.#graph.parents(position)) if (this.#enter(parent) >= 0) this.#queue.push(parent)
    return -1
  }

  /** The position, unless it is -1 or was seen; then -1. */
  #enter(position: number): number {
    if (position < 0 || this.#seen[position] === 1) return -1
    this.#seen[position] = 1
    return position
  }
}

/** Positions by date, the newest first; those of one date in the order they came in. For few at a time. */
class DateQueue {
  readonly #dates: Float64Array
  #positions = new Int32Array(FIRST_SIZE)
  #turns = new Float64Array(FIRST_SIZE)
  #size = 0
  #turn = 0

  constructor(dates: Float64Array) {
    this.#dates = dates
  }

  /** True when the position, pushed now, would be the next one. */
  isNewest(position: number): boolean {
    return this.#size === 0 || this.#dates[position]! > this.#dates[this.#positions[0]!]!
  }

  push(position: number): void {
    if (this.#size === this.#positions.length) this.#grow()
    const date = this.#dates[position]!
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >> 1
      // One that comes later is only before another by its date.
      if (date <= this.#dates[this.#positions[parent]!]!) break
      this.#move(parent, at)
      at = parent
    }
    this.#positions[at] = position
    this.#turns[at] = this.#turn++
  }

  /** -1: none. */
  pop(): number {
    if (this.#size === 0) return -1
    const first = this.#positions[0]!
    const last = --this.#size
    if (last > 0) this.#sink(this.#positions[last]!, this.#turns[last]!)
    return first
  }

  #sink(position: number, turn: number): void {
    const date = this.#dates[position]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.#size) break
      const left = this.#dates[this.#positions[child]!]!
      if (child + 1 < this.#size && this.#isBefore(child + 1, left, this.#turns[child]!)) child++
      if (!this.#isBefore(child, date, turn)) break
      this.#move(child, at)
      at = child
    }
    this.#positions[at] = position
    this.#turns[at] = turn
  }

  #isBefore(at: number, date: number, turn: number): boolean {
    const own = this.#dates[this.#positions[at]!]!
    return own > date || (own === date && this.#turns[at]! < turn)
  }

  #move(from: number, to: number): void {
    this.#positions[to] = this.#positions[from]!
    this.#turns[to] = this.#turns[from]!
  }

  #grow(): void {
    const positions = new Int32Array(this.#positions.length * 2)
    positions.set(this.#positions)
    this.#positions = positions
    const turns = new Float64Array(this.#turns.length * 2)
    turns.set(this.#turns)
    this.#turns = turns
  }
}
