import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const syncFile: (descriptor: number) => Promise<void> = promisify(fdatasync)

/**
 * Makes commits durable: writes the write-ahead log of an SQLite file to the disk, on a thread of the pool. Commits
 * that come while one write runs share the next, so that many writers at once wait for few.
 */
export class WalSync {
  readonly #file: string
  readonly #sync: typeof syncFile
  #descriptor: number | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** `file` is the database; its log exists while a connection is open. */
  constructor(file: string, sync = syncFile) {
    this.#file = file
    this.#sync = sync
  }

  /** Resolves when everything that was committed before the call is on the disk. Throws the error of the disk. */
  wait(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    // NOTE: the write that runs may have begun before the commit of the caller.
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next])
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#sync(this.#open()).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    return (this.#running = running)
  }

  /**
   * NOTE: SQLite locks the database and the shared memory, not the log, so that closing a descriptor of it is harmless.
   */
  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor
    this.#descriptor = openSync(`${this.#file}-wal`, 'r')
    // NOTE: the log may be new: its name has to be durable too.
    const directory = openSync(dirname(this.#file), 'r')
    try {
      fsyncSync(directory)
    } finally {
      closeSync(directory)
    }
    return this.#descriptor
  }
}
