import { GitError } from '../errors.ts'

interface State {
  shared: number
  exclusive: boolean
  readonly waiting: { readonly exclusive: boolean; readonly open: () => void }[]
}

/**
 * Pushes and writes of a repository run side by side; the destructive part of maintenance runs alone. Only within this
 * process: against other processes git's own grace periods protect. A task must not enter the same gate again.
 */
export class RepoGate {
  readonly #states = new Map<string, State>()

  /** True while any push or write of the repository is under way. */
  busy(path: string): boolean {
    return (this.#states.get(path)?.shared ?? 0) > 0
  }

  async shared<T>(path: string, task: () => Promise<T>): Promise<T> {
    await this.#enter(path, false)
    try {
      return await task()
    } finally {
      this.#leave(path, false)
    }
  }

  /** Runs alone, or throws GitError `busy` at once when the repository is in use: maintenance can come back later. */
  async exclusive<T>(path: string, task: () => Promise<T>): Promise<T> {
    if (this.#states.has(path)) throw new GitError('busy', 'the repository is in use')
    await this.#enter(path, true)
    try {
      return await task()
    } finally {
      this.#leave(path, true)
    }
  }

  async #enter(path: string, exclusive: boolean): Promise<void> {
    const state = this.#states.get(path) ?? { shared: 0, exclusive: false, waiting: [] }
    this.#states.set(path, state)
    if (state.exclusive) await new Promise<void>((open) => state.waiting.push({ exclusive, open }))
    if (exclusive) state.exclusive = true
    else state.shared++
  }

  #leave(path: string, exclusive: boolean): void {
    const state = this.#states.get(path)
    if (!state) return
    if (exclusive) state.exclusive = false
    else state.shared--
    for (const waiter of state.waiting.splice(0)) waiter.open()
    // A caller that was let in counts itself in a later turn; the state stays while it is in use.
    queueMicrotask(() => {
      if (state.shared === 0 && !state.exclusive && state.waiting.length === 0 && this.#states.get(path) === state)
        this.#states.delete(path)
    })
  }
}
