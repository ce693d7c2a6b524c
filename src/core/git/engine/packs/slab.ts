const SLAB_BYTES = 1024 * 1024
const MAX_PART = SLAB_BYTES / 4

/**
 * Allocates buffers as parts of larger ones: thousands of separate buffers would keep the garbage collector busy for
 * seconds.
 */
export class Slab {
  #current = Buffer.alloc(0)
  #used = 0

  /** Uninitialised bytes. */
  take(length: number): Buffer {
    if (length > MAX_PART) return Buffer.allocUnsafeSlow(length)
    if (this.#used + length > this.#current.length) {
      this.#current = Buffer.allocUnsafeSlow(SLAB_BYTES)
      this.#used = 0
    }
    this.#used += length
    return this.#current.subarray(this.#used - length, this.#used)
  }
}
