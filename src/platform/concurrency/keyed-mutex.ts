/** One at a time per key, first come first served; a key without waiters takes no memory. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>()

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key) ?? Promise.resolve()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const tail = previous.then(() => gate)
    this.#tails.set(key, tail)
    await previous
    try {
      return await task()
    } finally {
      open()
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    }
  }
}

/** At most `limit` tasks at once; the others wait in order. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#free = limit
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let released = false
    return () => {
      if (released) return
      released = true
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    const release = await this.acquire()
    try {
      return await task()
    } finally {
      release()
    }
  }
}
