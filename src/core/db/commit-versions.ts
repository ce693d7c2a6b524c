import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A request that changes nothing, from its arrival until its response is made. It sees a snapshot no older than its
 * arrival, and asks the database for the version once.
 */
export interface Reading {
  /** Reads that come later, such as those of a stream, are no part of it. */
  isOver: boolean
  /** The commits of this process when it asked; undefined before. */
  asked: number | undefined
}

export const beginReading = (): Reading => ({ isOver: false, asked: undefined })

/**
 * Numbers the commit versions of a database that reports them by a round trip: between equal ones no process committed.
 * Requests that arrive in one turn of the event loop share a round trip, which begins after they arrived.
 */
export class CommitVersions {
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

  /** The latest version, no older than the request; undefined for reads outside of requests. */
  version(): number | Promise<number> | undefined {
    const reading = this.#readings.getStore()
    if (reading === undefined || reading.isOver) return undefined
    return reading.asked === this.#commits ? this.#version : this.#askFor(reading)
  }

  /** What the database reported for it. */
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
