import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A request that changes nothing, from its arrival until its answer is made. What is remembered serves it as long as
 * nothing was committed before it arrived, so it asks the database once. Its answer may be older than it ends, never
 * older than it begins.
 */
export interface Reading {
  /** Reads that come later, such as those of a stream, are no part of it. */
  isOver: boolean
  /** The commits of this process when it asked; undefined before. */
  asked: number | undefined
}

export const beginReading = (): Reading => ({ isOver: false, asked: undefined })

/**
 * Numbers the moments of a database that is asked by a message: equal ones have no commit of any process between them.
 * Requests that arrive in one turn of the event loop ask together, each after it has arrived.
 */
export class Moments {
  readonly #ask: () => Promise<string>
  readonly #readings = new AsyncLocalStorage<Reading>()
  #commits = 0
  #asked = 0
  #answered = 0
  #next: Promise<void> | undefined
  #text: string | undefined
  #version = 0

  /** `ask` gives a text that changes with every commit. */
  constructor(ask: () => Promise<string>) {
    this.#ask = ask
  }

  /** What `work` reads is a part of the request. */
  during<T>(reading: Reading, work: () => T): T {
    return this.#readings.run(reading, work)
  }

  /** Called after each commit of this process: a request sees what it has written itself. */
  committed(): void {
    this.#commits++
  }

  /** Of the last moment that is known, which is not before the request; undefined for reads outside of requests. */
  version(): number | Promise<number> | undefined {
    const reading = this.#readings.getStore()
    if (reading === undefined || reading.isOver) return undefined
    return reading.asked === this.#commits ? this.#version : this.#askFor(reading)
  }

  /** Of the same moment. */
  get text(): string | undefined {
    return this.#text
  }

  async #askFor(reading: Reading): Promise<number> {
    const commits = this.#commits
    await (this.#next ??= this.#askSoon())
    reading.asked = commits
    return this.#version
  }

  #askSoon(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    setImmediate(() => {
      this.#next = undefined
      resolve(this.#askNow())
    })
    return promise
  }

  async #askNow(): Promise<void> {
    const turn = ++this.#asked
    const text = await this.#ask()
    // NOTE: of another connection, the answer to a later question may come first.
    if (turn < this.#answered) return
    this.#answered = turn
    if (text === this.#text) return
    this.#text = text
    this.#version++
  }
}
