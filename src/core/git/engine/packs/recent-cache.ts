/**
 * A cache of recently used entries, limited by weight: when the younger half is full, entries not used since the last
 * switch are dropped. Each use is far cheaper than exact LRU order, which matters for entries that cost microseconds.
 */
export class RecentCache<K, V> {
  readonly #half: number
  readonly #weigh: (value: V) => number
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #weight = 0

  constructor(maxWeight: number, weigh: (value: V) => number) {
    this.#half = maxWeight / 2
    this.#weigh = weigh
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    const weight = this.#weigh(value)
    if (weight > this.#half) return
    if (this.#weight + weight > this.#half) {
      this.#old = this.#young
      this.#young = new Map()
      this.#weight = 0
    }
    this.#young.set(key, value)
    this.#weight += weight
  }
}
