import { engineErrors } from '../errors.ts'

interface FairQueueLimits {
  /** A description of the tasks for the message of a refusal: `texts are being rendered`. */
  readonly what: string
  /** Tasks that run at once. */
  readonly atOnce: number
  /** Tasks of one caller that run at once. */
  readonly atOncePerCaller: number
  /** Tasks that wait, of all callers. */
  readonly maxWaiting: number
  /** Tasks of one caller that wait. */
  readonly maxWaitingPerCaller: number
}

interface Caller {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Runs a few tasks at once, those of different callers in turn: the tasks of one caller wait for each other, not those
 * of others. A caller without tasks takes no memory.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits
  /** Callers in the order of their turns. */
  readonly #callers = new Map<string, Caller>()
  #running = 0
  #waiting = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  /** Tasks that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Throws too-many-requests when too many tasks wait, of the caller or of all. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    await this.#begin(key)
    try {
      return await task()
    } finally {
      this.#end(key)
    }
  }

  #begin(key: string): Promise<void> | undefined {
    const { what, maxWaiting, maxWaitingPerCaller } = this.#limits
    const caller = this.#callers.get(key) ?? { running: 0, waiting: [] }
    if (this.#mayRun(caller)) {
      this.#callers.set(key, caller)
      this.#count(caller)
      return undefined
    }
    if (caller.waiting.length >= maxWaitingPerCaller || this.#waiting >= maxWaiting)
      throw engineErrors.tooManyWaiting(what)
    this.#callers.set(key, caller)
    this.#waiting++
    return new Promise((resolve) => caller.waiting.push(resolve))
  }

  #end(key: string): void {
    const caller = this.#callers.get(key)!
    caller.running--
    this.#running--
    this.#callers.delete(key)
    if (caller.running > 0 || caller.waiting.length > 0) this.#callers.set(key, caller)
    this.#startNext()
  }

  #mayRun(caller: Caller): boolean {
    return this.#running < this.#limits.atOnce && caller.running < this.#limits.atOncePerCaller
  }

  /** NOTE: a caller goes to the end when a task of it starts or ends, so that the next turn is that of another one. */
  #startNext(): void {
    for (const [key, caller] of this.#callers) {
      if (caller.waiting.length === 0 || !this.#mayRun(caller)) continue
      this.#callers.delete(key)
      this.#callers.set(key, caller)
      this.#waiting--
      this.#count(caller)
      caller.waiting.shift()!()
      return
    }
  }

  #count(caller: Caller): void {
    caller.running++
    this.#running++
  }
}
