import { setTimeout as sleep } from 'node:timers/promises'
import { createPauses } from '../../platform/concurrency/pauses.ts'
import type { Listener } from './listener.ts'

/** Several changes within this time admit each listener again once. */
const PAUSE_MS = 300

/** Admits listeners again whose rights may have changed, one after the other. */
export class Renewals {
  readonly #listeners: ReadonlySet<Listener>
  #running: Promise<void> | undefined

  constructor(listeners: ReadonlySet<Listener>) {
    this.#listeners = listeners
  }

  /** Does nothing when no listener is stale. */
  start(): void {
    if (this.#running === undefined && this.#stale().length > 0) this.#running = this.#run()
  }

  /** Resolves when it is not running; the streams were ended before. */
  async stopped(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    const pause = createPauses()
    for (let stale = this.#stale(); stale.length > 0; stale = this.#stale()) {
      await sleep(PAUSE_MS)
      for (const listener of stale) {
        await listener.isAdmitted()
        await pause()
      }
    }
    this.#running = undefined
  }

  #stale(): Listener[] {
    return [...this.#listeners].filter(({ isStale, stream }) => isStale && stream.isOpen)
  }
}
