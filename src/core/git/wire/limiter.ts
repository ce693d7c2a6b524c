import { WireError } from './wire-error.ts'

interface Waiter {
  readonly key: string
  readonly open: () => void
}

/** Admits at most `total` tasks, at most `perKey` of them with the same key; others wait in order. */
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

  wouldWait(key: string): boolean {
    return !this.#fits(key)
  }

  /** Resolves with the function that leaves again; fails with `aborted` if the signal fires first. */
  async enter(key: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new WireError('aborted', 'the client left')
    if (this.#fits(key)) this.#admit(key)
    else await this.#wait(key, signal)
    let left = false
    return () => {
      if (left) return
      left = true
      this.#leave(key)
    }
  }

  #fits(key: string): boolean {
    return this.#count < this.#total && (this.#inside.get(key) ?? 0) < this.#perKey
  }

  #admit(key: string): void {
    this.#count++
    this.#inside.set(key, (this.#inside.get(key) ?? 0) + 1)
  }

  #wait(key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter)
        reject(new WireError('aborted', 'the client left'))
      }
      const waiter: Waiter = {
        key,
        open: () => {
          signal.removeEventListener('abort', onAbort)
          this.#admit(key)
          resolve()
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiter)
    })
  }

  #leave(key: string): void {
    this.#count--
    const left = (this.#inside.get(key) ?? 1) - 1
    if (left === 0) this.#inside.delete(key)
    else this.#inside.set(key, left)
    const next = this.#waiting.findIndex((waiter) => this.#fits(waiter.key))
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.open()
  }
}
