interface Waiting<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

interface BatchOptions {
  /** Items of one call. */
  readonly size: number
  /** Milliseconds for which a call waits for more items. */
  readonly pause: number
  /** The maximum number of items that can arrive now: a call with that many does not wait for more. */
  expected(): number
}

/** One call for many items: the items that arrive during a call form the next one. */
export class Batches<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #options: BatchOptions
  #waiting: Waiting<Item, Result>[] = []
  #isRunning = false
  #endPause: (() => void) | undefined

  /** `run` returns a result for each item. When it throws, the items are tried one by one. */
  constructor(run: (items: readonly Item[]) => Promise<readonly Result[]>, options: BatchOptions) {
    this.#run = run
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ item, resolve, reject })
    if (!this.#isRunning) void this.#runAll()
    else if (this.#isComplete) this.#endPause?.()
    return promise
  }

  get #isComplete(): boolean {
    return this.#waiting.length >= Math.min(this.#options.size, this.#options.expected())
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      if (!this.#isComplete) await this.#pause()
      await this.#runSome(this.#waiting.splice(0, this.#options.size))
    }
    this.#isRunning = false
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.pause)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endPause = undefined
  }

  async #runSome(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      if (batch.length === 1) return batch[0]!.reject(error)
      // One item that cannot be handled does not keep back the others.
      for (const one of batch) await this.#runSome([one])
    }
  }
}
