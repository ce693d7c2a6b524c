/**
 * Caches contents of recently read objects in two memory areas that are filled alternately: separate buffers would
 * trigger the garbage collector every few hundred objects. When the newer area is full, the older one is overwritten;
 * objects used since then have been copied to the newer one.
 */
export class ObjectArena {
  readonly #areaBytes: number
  #young: Area
  #old: Area
  #used = 0
  #turns = 0

  constructor(bytes: number) {
    this.#areaBytes = Math.floor(bytes / 2)
    this.#young = { memory: undefined, kept: new Map() }
    this.#old = { memory: undefined, kept: new Map() }
  }

  /** Number of areas begun so far. A buffer of this arena is overwritten at the second begin after it was returned. */
  get turns(): number {
    return this.#turns
  }

  /** Valid as described at `take`. */
  get(key: number): Buffer | undefined {
    const young = this.#young.kept.get(key)
    if (young) return young
    const old = this.#old.kept.get(key)
    if (!old) return undefined
    const content = this.take(old.length)
    // NOTE: if that began an area, the ranges overlap; `copy` allows it.
    old.copy(content)
    this.keep(key, content)
    return content
  }

  /** Uninitialised bytes, valid until `turns` has grown by two. */
  take(length: number): Buffer {
    if (length > this.#areaBytes / 2) return Buffer.allocUnsafeSlow(length)
    if (this.#used + length > this.#areaBytes) {
      const next = this.#old
      this.#old = this.#young
      this.#young = { memory: next.memory, kept: new Map() }
      this.#used = 0
      this.#turns++
    }
    const memory = (this.#young.memory ??= Buffer.allocUnsafeSlow(this.#areaBytes))
    const start = this.#used
    this.#used += length
    return memory.subarray(start, this.#used)
  }

  /** Caches the contents of the buffer that was taken last. */
  keep(key: number, content: Buffer): void {
    if (content.buffer === this.#young.memory?.buffer) this.#young.kept.set(key, content)
  }
}

interface Area {
  readonly kept: Map<number, Buffer>
  memory: Buffer | undefined
}
