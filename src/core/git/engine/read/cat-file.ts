import type { Child } from '../../../platform/process/process.ts'
import { GitError } from '../../errors.ts'
import type { ObjectType } from '../object/format.ts'

export type Query = 'info' | 'contents'

export interface Found {
  readonly oid: string
  readonly type: ObjectType
  readonly size: number
  /** Set for `contents`. */
  readonly content: Buffer | undefined
}

export type Answer = Found | 'missing' | 'ambiguous'

interface Pending {
  readonly query: Query
  readonly name: string
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** The process ended before it answered; another process can answer the request. */
export class ReaderDiedError extends Error {}

/**
 * Maximum bytes of a commit, tree or tag. They are read whole, and a client can push a few bytes that inflate to
 * gigabytes.
 */
export const MAX_PARSED = 16 * 1024 * 1024
const MAX_IN_FLIGHT = 128
const MAX_HEADER = 8192

/**
 * One `git cat-file --batch-command --buffer` process. Requests of one event loop turn go out in one write and one
 * flush; answers arrive in order. At most 128 requests are in flight, so neither pipe can fill up permanently.
 */
export class CatFile {
  readonly path: string
  lastUsed = 0
  readonly #child: Child
  readonly #deadline: number
  readonly #waiting: Pending[] = []
  readonly #sent: Pending[] = []
  #scheduled = false
  #dead = false
  #ending = false
  #timer: NodeJS.Timeout | undefined
  // Parser state: bytes of an incomplete header, or the content being collected.
  #rest: Buffer = Buffer.alloc(0)
  #found: Omit<Found, 'content'> | undefined
  #parts: Buffer[] = []
  #left = 0
  readonly #onIdle: (reader: CatFile) => void

  constructor(path: string, child: Child, deadline: number, onIdle: (reader: CatFile) => void) {
    this.path = path
    this.#child = child
    this.#deadline = deadline
    this.#onIdle = onIdle
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr.resume()
    child.on('error', () => this.#die(new ReaderDiedError('git could not be started')))
    child.on('close', () => this.#die(new ReaderDiedError('git cat-file ended')))
  }

  get pending(): number {
    return this.#waiting.length + this.#sent.length
  }

  get alive(): boolean {
    return !this.#dead && !this.#ending
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** `name` must not contain a line break; git reads it as a revision. */
  ask(query: Query, name: string): Promise<Answer> {
    if (/[\n\r\0]/.test(name)) return Promise.resolve('missing')
    return new Promise((resolve, reject) => {
      if (!this.alive) return reject(new ReaderDiedError('the reader has ended'))
      this.#waiting.push({ query, name, resolve, reject })
      this.#schedule()
    })
  }

  /** Accepts no more requests; requests in flight are still answered. */
  end(): void {
    this.#ending = true
    if (this.pending === 0) this.kill()
  }

  kill(): void {
    this.#child.kill('SIGKILL')
    this.#die(new ReaderDiedError('the reader was ended'))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#send()
    })
  }

  #send(): void {
    const room = MAX_IN_FLIGHT - this.#sent.length
    if (this.#dead || room <= 0 || this.#waiting.length === 0) return
    const batch = this.#waiting.splice(0, room)
    this.#child.stdin.write(`${batch.map((item) => `${item.query} ${item.name}\n`).join('')}flush\n`)
    const first = this.#sent.length === 0
    this.#sent.push(...batch)
    if (first) this.#watch()
  }

  /** The first request must make progress within the deadline. */
  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#sent.length === 0) return
    this.#timer = setTimeout(
      () => this.#refuse(new GitError('timeout', 'reading an object took too long')),
      this.#deadline,
    )
    this.#timer.unref()
  }

  /** Ends the process, the only way to skip an answer that git has begun. The other requests are sent again. */
  #refuse(error: GitError): void {
    this.#sent.shift()?.reject(error)
    this.kill()
  }

  #read(chunk: Buffer): void {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = Buffer.alloc(0)
    while (data.length > 0) {
      if (this.#found) data = this.#gather(data)
      else {
        const end = data.indexOf(0x0a)
        if (end === -1) {
          if (data.length > MAX_HEADER) return this.kill()
          this.#rest = data
          return
        }
        this.#header(data.toString('latin1', 0, end))
        data = data.subarray(end + 1)
      }
    }
  }

  #header(line: string): void {
    const head = this.#sent[0]
    if (!head) return this.kill()
    const match = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(line)
    if (!match) return this.#answer(line.endsWith(' ambiguous') ? 'ambiguous' : 'missing')
    const found = { oid: match[1]!, type: match[2] as ObjectType, size: Number(match[3]) }
    if (head.query === 'info') return this.#answer({ ...found, content: undefined })
    if (found.type !== 'blob' && found.size > MAX_PARSED)
      return this.#refuse(new GitError('too-large', `the ${found.type} ${found.oid} has ${found.size} bytes`))
    this.#found = found
    this.#left = found.size + 1 // the newline after the content
  }

  #gather(data: Buffer): Buffer {
    const part = data.subarray(0, this.#left)
    this.#parts.push(part)
    this.#left -= part.length
    if (this.#left === 0 && this.#found) {
      // NOTE: always a copy. A slice of a pipe chunk in a cache would keep the whole 64 KiB chunk alive.
      const content = Buffer.concat(this.#parts, this.#found.size)
      const found = this.#found
      this.#found = undefined
      this.#parts = []
      this.#answer({ ...found, content })
    }
    return data.subarray(part.length)
  }

  #answer(answer: Answer): void {
    this.#sent.shift()?.resolve(answer)
    if (this.#sent.length < MAX_IN_FLIGHT / 2 && this.#waiting.length > 0) this.#schedule()
    this.#watch()
    if (this.pending > 0) return
    if (this.#ending) this.kill()
    else this.#onIdle(this)
  }

  #die(error: ReaderDiedError): void {
    if (this.#dead) return
    this.#dead = true
    clearTimeout(this.#timer)
    this.#child.kill('SIGKILL')
    for (const item of [...this.#sent.splice(0), ...this.#waiting.splice(0)]) item.reject(error)
    this.#onIdle(this)
  }
}
