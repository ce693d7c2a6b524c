/** Positions by rank, the highest first; equal ranks in the order they came in, as git's queues do. */
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
      // One that comes later is only before another by its rank.
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
