import type { Confirm, SharedLocks } from '../../platform/concurrency/lock-table.ts'
import { GitError } from '../errors.ts'

interface State {
  shared: number
  exclusive: boolean
  readonly waiting: { readonly exclusive: boolean; readonly open: () => void }[]
}

/**
 * A read-write lock for each repository. Pushes and writes run concurrently; the destructive part of maintenance runs
 * exclusively, across all processes of the server. Git's own grace periods protect against other programs. A task may
 * enter `shared` again: `exclusive` never waits.
 */
export class RepoLock {
  readonly #states = new Map<string, State>()
  readonly #locks: SharedLocks | undefined

  /** Without `locks` this is the only process. */
  constructor(locks?: SharedLocks) {
    this.#locks = locks
  }

  /** True while a push or write of the repository runs in this process. */
  busy(path: string): boolean {
    return (this.#states.get(path)?.shared ?? 0) > 0
  }

  async shared<T>(path: string, task: () => Promise<T>): Promise<T> {
    await this.#enter(path, false)
    try {
      const release = await this.#locks?.lock(nameOf(path), 'shared')
      try {
        return await task()
      } finally {
        release?.()
      }
    } finally {
      this.#leave(path, false)
    }
  }

  /**
   * Runs the task exclusively, or throws GitError `busy` at once if the repository is in use: maintenance can retry
   * later.
   */
  async exclusive<T>(path: string, task: (confirm: Confirm | undefined) => Promise<T>): Promise<T> {
    if (this.#states.has(path)) throw busy()
    await this.#enter(path, true)
    try {
      if (this.#locks === undefined) return await task(undefined)
      const release = await this.#locks.tryLock(nameOf(path), 'exclusive')
      if (release === undefined) throw busy()
      try {
        return await task(release.confirm)
      } finally {
        release()
      }
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
    // A caller that was admitted increments the counter in a later turn; the state is kept while it is in use.
    queueMicrotask(() => {
      if (state.shared === 0 && !state.exclusive && state.waiting.length === 0 && this.#states.get(path) === state)
        this.#states.delete(path)
    })
  }
}

const nameOf = (path: string): string => `gate ${path}`

const busy = (): GitError => new GitError('busy', 'the repository is in use')
