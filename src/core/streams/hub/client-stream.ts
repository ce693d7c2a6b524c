import { Readable } from 'node:stream'

/** The body of an answer that is written while the client reads it. It never waits for a client that reads slowly. */
export class ClientStream extends Readable {
  readonly #max: number
  #isEnding = false
  #proceed: (() => void) | undefined

  /** `max`: bytes that wait for the client. */
  constructor(max: number) {
    super({ highWaterMark: max })
    this.#max = max
  }

  get isOpen(): boolean {
    return !this.destroyed && !this.readableEnded && !this.#isEnding
  }

  override _read(): void {
    this.#proceed?.()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#proceed?.()
    done(error)
  }

  /** Ends the stream at once when too much waits for the client already. */
  write(bytes: Buffer | string): void {
    if (!this.isOpen) return
    if (this.readableLength > this.#max) this.destroy()
    else this.push(bytes)
  }

  /** Resolves when little waits for the client, or it has left. */
  async drained(): Promise<void> {
    while (this.isOpen && this.readableLength > this.#max / 2)
      await new Promise<void>((resolve) => {
        this.#proceed = resolve
      })
    this.#proceed = undefined
  }

  /** The client gets what waits for it and then the end. */
  end(last: string): void {
    if (!this.isOpen) return
    this.push(last)
    this.#isEnding = true
    this.push(null)
  }
}
