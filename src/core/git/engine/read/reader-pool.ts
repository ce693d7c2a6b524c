import { startProcess } from '../../../platform/process/process.ts'
import { GitError } from '../../errors.ts'
import { type Answer, CatFile, type Query, ReaderDiedError } from './cat-file.ts'
import { gitEnv } from '../command.ts'

export interface ReaderLimits {
  /** Maximum number of processes. */
  readonly maxReaders: number
  readonly readersPerRepo: number
  /** Milliseconds before an idle process is ended. */
  readonly idleReader: number
  /** Timeout in milliseconds for one object. */
  readonly deadline: number
}

const BUSY_READER = 32
const ATTEMPTS = 3

/** A pool of `git cat-file` processes for the repositories in use; the least recently used process ends first. */
export class ReaderPool {
  readonly #limits: ReaderLimits
  readonly #readers = new Map<string, CatFile[]>()
  readonly #waiting: (() => void)[] = []
  readonly #sweep: NodeJS.Timeout
  #count = 0
  #turn = 0
  #closed = false

  constructor(limits: ReaderLimits) {
    this.#limits = limits
    this.#sweep = setInterval(() => this.#endIdle(), limits.idleReader / 2)
    this.#sweep.unref()
  }

  /** Number of processes, for tests and metrics. */
  get size(): number {
    return this.#count
  }

  has(path: string): boolean {
    return (this.#readers.get(path)?.length ?? 0) > 0
  }

  pids(path: string): number[] {
    return (this.#readers.get(path) ?? []).flatMap((reader) => reader.pid ?? [])
  }

  /** Sends a request to a reader of the repository; if the reader dies, a new one gets the request. */
  async ask(path: string, query: Query, name: string): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const reader = this.#pick(path)
      if (!reader) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
        attempt--
        continue
      }
      try {
        return await reader.ask(query, name)
      } catch (error) {
        if (!(error instanceof ReaderDiedError)) throw error
        if (attempt === ATTEMPTS || this.#closed)
          throw new GitError('failed', 'the repository cannot be read', { cause: error })
      }
    }
  }

  /**
   * Ends the repository's readers after their current work: before it is deleted, and after its packs were replaced.
   */
  drop(path: string): void {
    const own = this.#readers.get(path)?.slice() ?? []
    for (const reader of own) {
      this.#remove(reader)
      reader.end()
    }
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#sweep)
    for (const reader of [...this.#readers.values()].flat()) {
      this.#remove(reader)
      reader.kill()
    }
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /**
   * NOTE: not async: a reader must get its request in the turn in which it was picked, or another request may end it as
   * idle.
   */
  #pick(path: string): CatFile | undefined {
    if (this.#closed) throw new GitError('aborted', 'the server is closing')
    const own = this.#readers.get(path) ?? []
    const best = own.reduce<CatFile | undefined>((a, b) => (a && a.pending <= b.pending ? a : b), undefined)
    const enough = best && (best.pending < BUSY_READER || own.length >= this.#limits.readersPerRepo)
    if (enough || !this.#makeRoom()) return best && this.#touch(best)
    return this.#touch(this.#start(path))
  }

  #touch(reader: CatFile): CatFile {
    reader.lastUsed = ++this.#turn
    return reader
  }

  #start(path: string): CatFile {
    const args = ['cat-file', '--batch-command', '--buffer']
    const child = startProcess('git', args, { cwd: path, env: gitEnv(path), isShared: true })
    const reader = new CatFile(path, child, this.#limits.deadline, (idle) => this.#idle(idle))
    const own = this.#readers.get(path)
    if (own) own.push(reader)
    else this.#readers.set(path, [reader])
    this.#count++
    return reader
  }

  #idle(reader: CatFile): void {
    if (!reader.alive) this.#remove(reader)
    this.#waiting.shift()?.()
  }

  /** Returns true if another process may start, after ending an idle one if needed. */
  #makeRoom(): boolean {
    if (this.#count < this.#limits.maxReaders) return true
    const idle = [...this.#readers.values()].flat().filter((reader) => reader.pending === 0)
    const oldest = idle.reduce<CatFile | undefined>((a, b) => (a && a.lastUsed <= b.lastUsed ? a : b), undefined)
    if (!oldest) return false
    this.#remove(oldest)
    oldest.end()
    return true
  }

  /** Ends readers that were not used since the sweep before last. */
  #endIdle(): void {
    const stale = [...this.#readers.values()]
      .flat()
      .filter((reader) => reader.pending === 0 && reader.lastUsed <= this.#mark)
    for (const reader of stale) {
      this.#remove(reader)
      reader.end()
    }
    this.#mark = this.#next
    this.#next = this.#turn
  }

  #mark = 0
  #next = 0

  #remove(reader: CatFile): void {
    const own = this.#readers.get(reader.path)
    const at = own?.indexOf(reader) ?? -1
    if (!own || at === -1) return
    own.splice(at, 1)
    if (own.length === 0) this.#readers.delete(reader.path)
    this.#count--
  }
}
