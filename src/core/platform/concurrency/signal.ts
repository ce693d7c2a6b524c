import { type Announcer, onlyProcess } from './processes.ts'

/** Notifies listeners in all processes of the server of new work, without describing it. */
export class Signal {
  readonly #listeners = new Set<() => void>()
  readonly #topic: string
  readonly #processes: Announcer

  /** `topic`: the same in every process, and of this signal alone. */
  constructor(topic: string, processes: Announcer = onlyProcess()) {
    this.#topic = topic
    this.#processes = processes
    processes.onAnnounced(topic, () => this.#call())
    processes.onMissed(() => this.#call())
  }

  /** Calls the listeners of this process before it returns. */
  emit(): void {
    this.#call()
    this.#processes.announce(this.#topic)
  }

  /** Returns the function that stops the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #call(): void {
    for (const listener of this.#listeners) listener()
  }
}
