import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { RecentCache } from './recent-cache.ts'
import { Slab } from './slab.ts'
import { UnsupportedError } from './unsupported-error.ts'

const PAGE_BYTES = 8 * 1024
const MAX_PAGES_PER_FILE = 2 ** 32

/** Recently read pages of every open file, bounded by bytes. Packs and indexes never change: no page is ever stale. */
export class PageCache {
  readonly #pages: RecentCache<number, Buffer>
  readonly #slab = new Slab()
  #files = 0

  constructor(maxBytes: number) {
    this.#pages = new RecentCache(maxBytes, (page) => page.length)
  }

  /** Throws as `openSync` does. */
  open(path: string): PagedFile {
    return new PagedFile(path, ++this.#files, this)
  }

  get(file: PagedFile, index: number): Buffer {
    const key = file.id * MAX_PAGES_PER_FILE + index
    const known = this.#pages.get(key)
    if (known) return known
    const start = index * PAGE_BYTES
    const page = this.#slab.take(Math.min(PAGE_BYTES, file.size - start))
    if (readSync(file.fd, page, 0, page.length, start) !== page.length) throw new UnsupportedError('a file was cut off')
    this.#pages.set(key, page)
    return page
  }
}

/** A file of which parts are read at random, without an event loop: for worker threads. */
export class PagedFile {
  readonly fd: number
  readonly id: number
  readonly size: number
  readonly #cache: PageCache
  #page: Buffer = Buffer.alloc(0)
  #index = -1

  constructor(path: string, id: number, cache: PageCache) {
    this.fd = openSync(path, 'r')
    this.size = fstatSync(this.fd).size
    this.id = id
    this.#cache = cache
  }

  /** A view of cached bytes, or a copy where they span pages. UnsupportedError outside of the file. */
  read(at: number, length: number): Buffer {
    if (at < 0 || at + length > this.size) throw new UnsupportedError('a position is outside of its file')
    const index = Math.floor(at / PAGE_BYTES)
    const from = at - index * PAGE_BYTES
    const page = this.#pageAt(index)
    if (from + length <= page.length) return page.subarray(from, from + length)
    const bytes = Buffer.allocUnsafe(length)
    let done = page.copy(bytes, 0, from)
    for (let next = index + 1; done < length; next++) done += this.#pageAt(next).copy(bytes, done)
    return bytes
  }

  uint32(at: number): number {
    const index = Math.floor(at / PAGE_BYTES)
    const from = at - index * PAGE_BYTES
    if (at < 0 || at + 4 > this.size || from + 4 > PAGE_BYTES) return this.read(at, 4).readUInt32BE(0)
    const page = this.#pageAt(index)
    return uint32At(page, from)
  }

  /** All of it, in memory of its own. */
  whole(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.size)
    if (readSync(this.fd, bytes, 0, this.size, 0) !== this.size) throw new UnsupportedError('a file was cut off')
    return bytes
  }

  close(): void {
    closeSync(this.fd)
  }

  #pageAt(index: number): Buffer {
    if (index !== this.#index) {
      this.#page = this.#cache.get(this, index)
      this.#index = index
    }
    return this.#page
  }
}

/** As `readUInt32BE` without its checks: the caller knows that all four bytes are there. */
export const uint32At = (bytes: Buffer, at: number): number =>
  bytes[at]! * 2 ** 24 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!)
