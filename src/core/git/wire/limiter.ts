import { WireError } from './wire-error.ts'

interface Waiter {
  readonly keys: readonly string[]
  readonly open: () => void
}

/** Admits at most `total` tasks, at most `perKey` of them with one of their keys in common; others wait in order. */
export class Limiter {
  readonly #total: number
  readonly #perKey: number
  readonly #inside = new Map<string, number>()
  #count = 0
  #waiting: Waiter[] = []

  constructor(total: number, perKey: number) {
    this.#total = total
    this.#perKey = perKey
  }

  /** Running and waiting tasks. */
  get load(): { readonly inside: number; readonly waiting: number } {
    return { inside: this.#count, waiting: this.#waiting.length }
  }

  wouldWait(keys: readonly string[]): boolean {
    return !this.#fits(keys)
  }

  /** Resolves with the function that leaves again; fails with `aborted` if the signal fires first. */
  async enter(keys: readonly string[], signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new WireError('aborted', 'the client left')
    if (this.#fits(keys)) this.#admit(keys)
    else await this.#wait(keys, signal)
    let released = false
    return () => {
      if (released) return
      released = true
      this.#leave(keys)
    }
  }

  #fits(keys: readonly string[]): boolean {
    return this.#count < this.#total && keys.every((key) => (this.#inside.get(key) ?? 0) < this.#perKey)
  }

  #admit(keys: readonly string[]): void {
    this.#count++
    for (const key of keys) this.#inside.set(key, (this.#inside.get(key) ?? 0) + 1)
  }

  #wait(keys: readonly string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter)
        reject(new WireError('aborted', 'the client left'))
      }
      const waiter: Waiter = {
        keys,
        open: () => {
          signal.removeEventListener('abort', onAbort)
          this.#admit(keys)
          resolve()
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiter)
    })
  }

  #leave(keys: readonly string[]): void {
    this.#count--
    for (const key of keys) {
      const released = (this.#inside.get(key) ?? 1) - 1
      if (released === 0) this.#inside.delete(key)
      else this.#inside.set(key, released)
    }
    const next = this.#waiting.findIndex((waiter) => this.#fits(waiter.keys))
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.open()
  }
}
