/**
 * Contents of objects read lately, in two areas of memory that are written in turn: buffers of their own would make the
 * collector run every few hundred objects. When the newer area is full, the older one is written again; what was used
 * since the last time is in the newer one by then.
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

  /** How often an area was begun. A buffer of this arena is overwritten at the second time after it was given out. */
  get turns(): number {
    return this.#turns
  }

  /** Valid as `take` says. */
  get(key: number): Buffer | undefined {
    const young = this.#young.kept.get(key)
    if (young) return young
    const old = this.#old.kept.get(key)
    if (!old) return undefined
    const content = this.take(old.length)
    // NOTE: when that began an area, both overlap; `copy` allows it.
    old.copy(content)
    this.keep(key, content)
    return content
  }

  /** Uninitialised bytes, to be used until `turns` has grown by two. */
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

  /** Keeps what was written to the buffer that was taken last. */
  keep(key: number, content: Buffer): void {
    if (content.buffer === this.#young.memory?.buffer) this.#young.kept.set(key, content)
  }
}

interface Area {
  readonly kept: Map<number, Buffer>
  memory: Buffer | undefined
}
