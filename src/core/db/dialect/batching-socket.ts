import { Socket } from 'node:net'

/**
 * Sends what is written in one turn of the event loop by one system call, which costs more than most statements: `begin`
 * and the first statement of a transaction, and reads that arrive together.
 */
export class BatchingSocket extends Socket {
  #isHeld = false

  /** NOTE: that of the base class replaces an overridden `write` by its own. */
  override connect(...args: unknown[]): this {
    Reflect.apply(super.connect, this, args)
    Reflect.deleteProperty(this, 'write')
    return this
  }

  override write(...args: unknown[]): boolean {
    if (!this.#isHeld) {
      this.#isHeld = true
      this.cork()
      process.nextTick(() => {
        this.#isHeld = false
        this.uncork()
      })
    }
    return Reflect.apply(super.write, this, args) as boolean
  }
}
