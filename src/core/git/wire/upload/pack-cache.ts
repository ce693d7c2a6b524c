import { link, mkdir, open, readdir, rm, stat, statfs, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../platform/clock.ts'
import { randomHex } from '../../../platform/crypto/crypto.ts'
import { isOutOfSpace } from '../../../platform/files/out-of-space.ts'
import type { ByteSink } from '../pkt/pkt-line.ts'
import { SpooledStream } from './spooled-stream.ts'
import { WireError } from '../wire-error.ts'

export interface PackCacheOptions {
  /** Its own directory; created if missing. Files of a former run are reused or removed. */
  readonly dir: string
  /** Maximum bytes on disk in total. */
  readonly maxBytes: number
  /** Milliseconds after which an answer is computed again. */
  readonly maxAgeMs: number
  readonly clock: Clock
}

/** Writes one whole answer into `sink`; if it fails, the answer must not be cached. */
export type Produce = (sink: ByteSink, signal: AbortSignal) => Promise<void>

interface Entry {
  readonly stream: SpooledStream
  readonly abort: AbortController
  readonly madeAt: number
}

/** Bytes left free on the disk for data that must be written. */
const SPARE_BYTES = 16 * 1024 ** 2
const DONE = '.answer'
const PART = '.part'

/**
 * A cache of answers to identical fetches, computed once and read from disk, both while one is being computed and
 * later. Least recently used answers are evicted first.
 */
export class PackCache {
  readonly #options: PackCacheOptions
  /** The entries in order of use, oldest first. */
  readonly #entries = new Map<string, Entry>()

  private constructor(options: PackCacheOptions) {
    this.#options = options
  }

  static async open(options: PackCacheOptions): Promise<PackCache> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 })
    const cache = new PackCache(options)
    for (const name of await readdir(options.dir)) await cache.#adopt(name)
    cache.#evict()
    return cache
  }

  /** Bytes on disk now. */
  get bytes(): number {
    let sum = 0
    for (const entry of this.#entries.values()) sum += entry.stream.size
    return sum
  }

  /** The largest answer worth caching. */
  get maxEntryBytes(): number {
    return this.#options.maxBytes / 2
  }

  /** False if the disk hardly has room for an answer of about this size: it is better not cached. */
  async hasRoom(bytes: number): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#options.dir)
    return bavail * bsize > 2 * bytes + SPARE_BYTES
  }

  has(key: string): boolean {
    return this.#fresh(key) !== undefined
  }

  /** The size of a complete answer; undefined if there is none. */
  sizeOf(key: string): number | undefined {
    const stream = this.#fresh(key)?.stream
    return stream?.state === 'done' ? stream.size : undefined
  }

  /** The answer under a key (hex), computed by `produce` unless it is cached or in progress. */
  answer(key: string, produce: Produce): SpooledStream {
    const found = this.#fresh(key)
    if (found) {
      this.#entries.delete(key)
      this.#entries.set(key, found)
      return found.stream
    }
    return this.#start(key, produce)
  }

  /** Drops every complete answer older than `ageMs`; its readers can finish. */
  clear(ageMs = 0): void {
    const before = this.#options.clock.now() - ageMs
    for (const [key, entry] of this.#entries)
      if (entry.stream.state === 'done' && entry.madeAt <= before) this.#drop(key, entry)
  }

  #fresh(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (!entry || this.#options.clock.now() - entry.madeAt <= this.#options.maxAgeMs) return entry
    this.#drop(key, entry)
    return undefined
  }

  #start(key: string, produce: Produce): SpooledStream {
    const abort = new AbortController()
    const part = join(this.#options.dir, `${key}-${randomHex(8)}${PART}`)
    const stream = new SpooledStream(part, () => this.#onIdle(key, entry))
    const entry: Entry = { stream, abort, madeAt: this.#options.clock.now() }
    this.#entries.set(key, entry)
    void this.#fill(key, entry, produce)
    return stream
  }

  /** Never rejects: the readers receive the error. */
  async #fill(key: string, entry: Entry, produce: Produce): Promise<void> {
    const { stream } = entry
    let file: FileHandle | undefined
    try {
      // NOTE: `produce` starts before the first await, so that the next caller sees the work in progress.
      const sink: ByteSink = async (chunk) => {
        if (stream.size + chunk.length > this.#options.maxBytes)
          throw new WireError('too-large', 'the answer is too large to cache')
        await stream.append((file ??= await open(stream.path, 'wx', 0o600)), chunk)
      }
      await produce(sink, entry.abort.signal)
      file ??= await open(stream.path, 'wx', 0o600)
      await file.close()
      file = undefined
      await this.#keep(key, entry)
    } catch (error) {
      await file?.close().catch(() => {})
      this.#forget(key, entry)
      stream.finish(
        isOutOfSpace(error)
          ? new WireError('too-large', 'the disk has no room for the answer')
          : error instanceof Error
            ? error
            : new WireError('failed', String(error)),
      )
      this.#onIdle(key, entry)
    }
  }

  /** NOTE: readers may still open the first name; the second name marks the file as complete for the next run. */
  async #keep(key: string, entry: Entry): Promise<void> {
    await link(entry.stream.path, finalName(entry.stream.path))
    entry.stream.finish()
    if (this.#entries.get(key) === entry) this.#evict()
    else this.#onIdle(key, entry)
  }

  #onIdle(key: string, entry: Entry): void {
    if (entry.stream.readers > 0) return
    if (entry.stream.state === 'open') {
      this.#forget(key, entry)
      entry.abort.abort()
    } else if (this.#entries.get(key) !== entry) removeFiles(entry)
    else this.#evict()
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.bytes <= this.#options.maxBytes) return
      if (entry.stream.state === 'done') this.#drop(key, entry)
    }
  }

  #drop(key: string, entry: Entry): void {
    this.#forget(key, entry)
    if (entry.stream.readers === 0 && entry.stream.state !== 'open') removeFiles(entry)
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
  }

  async #adopt(name: string): Promise<void> {
    const path = join(this.#options.dir, name)
    const key = name.slice(0, name.indexOf('-'))
    if (!name.endsWith(DONE) || this.#entries.has(key)) {
      await rm(path, { force: true, recursive: true })
      return
    }
    const { size, mtimeMs } = await stat(path)
    const entry: Entry = {
      stream: new SpooledStream(path, () => this.#onIdle(key, entry), size),
      abort: new AbortController(),
      madeAt: mtimeMs,
    }
    this.#entries.set(key, entry)
  }
}

const finalName = (part: string): string => (part.endsWith(PART) ? part.slice(0, -PART.length) + DONE : part)

function removeFiles(entry: Entry): void {
  const { path } = entry.stream
  for (const name of new Set([path, finalName(path)])) rm(name, { force: true }).catch(() => {})
}
