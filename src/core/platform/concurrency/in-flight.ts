/** Work that continues when the client of its request disconnects; at shutdown it is aborted and waited for. */
export class InFlight {
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<unknown>>()

  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Runs a task that ends early when its signal says so. */
  async run<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = task(this.#stopping.signal)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#running)
  }
}
