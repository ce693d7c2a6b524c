import type { Confirm, SharedLocks } from './lock-table.ts'

/** What a mutex has in common with the mutexes of the same name in the other processes of the server. */
interface MutexScope {
  /** Of what is locked, such as `refs`: the same in every process. */
  readonly name: string
  /** Undefined where this is the only process. */
  readonly locks: SharedLocks | undefined
}

/**
 * One at a time per key, first come first served; a key without waiters takes no memory. With a scope this holds for
 * all processes of the server: those that wait in one process request the lock of all processes one after the other.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>()
  readonly #scope: MutexScope | undefined

  /** Without a scope: within this process. */
  constructor(scope?: MutexScope) {
    this.#scope = scope
  }

  /** `task` gets the `confirm` of the lock where it can be lost, see `Release`. */
  async run<T>(key: string, task: (confirm: Confirm | undefined) => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key) ?? Promise.resolve()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const tail = previous.then(() => gate)
    this.#tails.set(key, tail)
    await previous
    try {
      return await this.#runAlone(key, task)
    } finally {
      open()
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    }
  }

  async #runAlone<T>(key: string, task: (confirm: Confirm | undefined) => Promise<T>): Promise<T> {
    const { name, locks } = this.#scope ?? {}
    if (locks === undefined) return task(undefined)
    const release = await locks.lock(`${name} ${key}`, 'exclusive')
    try {
      return await task(release.confirm)
    } finally {
      release()
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
