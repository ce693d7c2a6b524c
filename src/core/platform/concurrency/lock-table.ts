export type LockMode = 'exclusive' | 'shared'

/** Releases the lock; further calls have no effect. */
export interface Release {
  (): void
  /**
   * For locks that can be lost while they are held: throws unavailable if this one was lost, and otherwise extends it
   * by a full lease from now. To be called right before the action that must happen under the lock.
   */
  readonly confirm?: Confirm
}

export type Confirm = () => Promise<void>

/** Locks by name that all processes of one server share. Not reentrant. */
export interface SharedLocks {
  /** Waits in order until the lock is free. Rejects when the processes lose touch with each other. */
  lock(name: string, mode: LockMode): Promise<Release>
  /** Undefined, at once, when the lock is not free. */
  tryLock(name: string, mode: LockMode): Promise<Release | undefined>
}

interface Waiter {
  readonly mode: LockMode
  readonly grant: () => void
}

interface Lock {
  exclusive: boolean
  shared: number
  readonly waiting: Waiter[]
}

/**
 * Locks by name within one process, first come first served: a shared request waits behind an exclusive one that came
 * before it. A lock that is free takes no memory.
 */
export class LockTable implements SharedLocks {
  readonly #locks = new Map<string, Lock>()

  /** Names that are locked or waited for. */
  get size(): number {
    return this.#locks.size
  }

  lock(name: string, mode: LockMode): Promise<Release> {
    const { promise, resolve } = Promise.withResolvers<Release>()
    this.request(name, mode, resolve)
    return promise
  }

  tryLock(name: string, mode: LockMode): Promise<Release | undefined> {
    const lock = this.#locks.get(name)
    if (lock !== undefined && !isFree(lock, mode)) return Promise.resolve(undefined)
    return this.lock(name, mode)
  }

  /**
   * Calls `granted` when the lock is free, possibly before it returns. The result withdraws the request while it waits,
   * and afterwards does nothing.
   */
  request(name: string, mode: LockMode, granted: (release: Release) => void): () => void {
    const lock = this.#locks.get(name) ?? { exclusive: false, shared: 0, waiting: [] }
    this.#locks.set(name, lock)
    const grant = (): void => {
      if (mode === 'exclusive') lock.exclusive = true
      else lock.shared++
      let isReleased = false
      granted(() => {
        if (isReleased) return
        isReleased = true
        if (mode === 'exclusive') lock.exclusive = false
        else lock.shared--
        this.#wake(name, lock)
      })
    }
    if (isFree(lock, mode)) {
      grant()
      return () => {}
    }
    const waiter = { mode, grant }
    lock.waiting.push(waiter)
    return () => {
      const at = lock.waiting.indexOf(waiter)
      if (at < 0) return
      lock.waiting.splice(at, 1)
      this.#wake(name, lock)
    }
  }

  #wake(name: string, lock: Lock): void {
    for (let next = lock.waiting[0]; next !== undefined && fits(lock, next.mode); next = lock.waiting[0]) {
      lock.waiting.shift()
      next.grant()
    }
    if (!lock.exclusive && lock.shared === 0 && lock.waiting.length === 0) this.#locks.delete(name)
  }
}

const fits = (lock: Lock, mode: LockMode): boolean => !lock.exclusive && (mode === 'shared' || lock.shared === 0)

const isFree = (lock: Lock, mode: LockMode): boolean => lock.waiting.length === 0 && fits(lock, mode)

/** The lock that a mutex shares with the mutexes of the same name in the other processes of the server. */
interface MutexScope {
  /** Name of the kind of thing that is locked, such as `refs`: the same in every process. */
  readonly name: string
  /** Undefined if this is the only process. */
  readonly locks: SharedLocks | undefined
}

/**
 * One at a time per key, first come first served; a key without waiters takes no memory. With a scope this holds for
 * all processes of the server: those that wait in one process request the lock of all processes one after the other.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>()
  readonly #scope: MutexScope | undefined

  /** If `scope` is absent, the mutex is local to this process. */
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
