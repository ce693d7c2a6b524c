import type { Commit } from '../object/commit.ts'

/** Newest committer date first; equal dates in the order they came in, as git's revision walk does. */
export class CommitQueue {
  readonly #heap: { readonly commit: Commit; readonly order: number }[] = []
  #order = 0

  get size(): number {
    return this.#heap.length
  }

  push(commit: Commit): void {
    const heap = this.#heap
    heap.push({ commit, order: this.#order++ })
    let at = heap.length - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(at, parent)) break
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): Commit | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last) return undefined
    if (heap.length > 0) {
      heap[0] = last
      this.#sink()
    }
    return first.commit
  }

  #sink(): void {
    for (let at = 0; ;) {
      let best = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.#heap.length && this.#before(child, best)) best = child
      if (best === at) return
      this.#swap(at, best)
      at = best
    }
  }

  #before(a: number, b: number): boolean {
    const left = this.#heap[a]!
    const right = this.#heap[b]!
    const difference = left.commit.committer.time - right.commit.committer.time
    return difference === 0 ? left.order < right.order : difference > 0
  }

  #swap(a: number, b: number): void {
    const held = this.#heap[a]!
    this.#heap[a] = this.#heap[b]!
    this.#heap[b] = held
  }
}
