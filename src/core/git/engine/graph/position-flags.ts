const FIRST_SIZE = 4096

/** A byte of flags for every position, 0 at first. Grows with the positions. */
export class PositionFlags {
  #flags = new Uint8Array(FIRST_SIZE)

  get(position: number): number {
    return this.#flags[position] ?? 0
  }

  set(position: number, flags: number): void {
    if (position >= this.#flags.length) this.#grow(position)
    this.#flags[position] = flags
  }

  /** True when the position was not there; it is from now on. */
  enter(position: number): boolean {
    if (this.get(position) !== 0) return false
    this.set(position, 1)
    return true
  }

  #grow(position: number): void {
    const larger = new Uint8Array(Math.max(position + 1, this.#flags.length * 2))
    larger.set(this.#flags)
    this.#flags = larger
  }
}
