import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { RecentCache } from './recent-cache.ts'
import { Slab } from './slab.ts'
import { UnsupportedError } from './unsupported-error.ts'

const PAGE_BYTES = 8 * 1024
const MAX_PAGES_PER_FILE = 2 ** 32

/**
 * Recently read pages of all open files, limited by bytes. Packs and indexes never change, so no page becomes stale.
 */
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
    if (readSync(file.fd, page, 0, page.length, start) !== page.length)
      throw new UnsupportedError('a file was truncated')
    this.#pages.set(key, page)
    return page
  }
}

/** Synchronous random access to a file: for worker threads. */
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

  /** Returns a view of cached bytes, or a copy if they span pages. Throws UnsupportedError outside the file. */
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

  /** Returns the whole file in a new buffer. */
  whole(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.size)
    if (readSync(this.fd, bytes, 0, this.size, 0) !== this.size) throw new UnsupportedError('a file was truncated')
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

/** `readUInt32BE` without its checks: the caller guarantees that all four bytes exist. */
const uint32At = (bytes: Buffer, at: number): number =>
  bytes[at]! * 2 ** 24 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!)

const SIGNATURE = 0xff744f63
const FANOUT_AT = 8
const IDS_AT = FANOUT_AT + 256 * 4
const LARGE_OFFSET = 0x80000000
/** Maximum number of interpolation steps before the search falls back to bisection. */
const MAX_GUESSES = 8
/**
 * After this many searches an index is loaded into memory if it is not too large, because searches touch all its pages.
 */
const MIN_FINDS = 500
const MAX_WHOLE = 32 * 1024 * 1024

/** Finds objects in one pack by a `.idx` file of version 2 (gitformat-pack). */
export class PackIndex {
  readonly #file: PagedFile
  #finds = 0
  #whole: Buffer | undefined
  readonly #idBytes: number
  readonly #fanout = new Uint32Array(257)

  constructor(pages: PageCache, path: string, idBytes: number) {
    this.#file = pages.open(path)
    this.#idBytes = idBytes
    try {
      this.#readFanout()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** The offset of the object in the pack; undefined if it is not there. */
  find(id: Buffer): number | undefined {
    if (++this.#finds === MIN_FINDS && this.#file.size <= MAX_WHOLE) this.#whole = this.#file.whole()
    const first = id[0]!
    let low = this.#fanout[first]!
    let high = this.#fanout[first + 1]!
    // Ids are uniformly distributed, so interpolation comes first and bisection follows.
    const density = (high - low) / 2 ** 24
    const word = id.readUInt32BE(0)
    let middle = low + Math.floor((word % 2 ** 24) * density)
    for (let step = 0; low < high; step++) {
      const found = this.#uint32(IDS_AT + middle * this.#idBytes)
      const order = found === word ? this.#compare(middle, id) : found - word
      if (order === 0) return this.#offset(middle)
      if (order < 0) low = middle + 1
      else high = middle
      const near = middle - Math.trunc(order * density)
      middle = step < MAX_GUESSES ? Math.min(Math.max(near, low), high - 1) : (low + high) >>> 1
    }
    return undefined
  }

  close(): void {
    this.#file.close()
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#whole?.length ?? 0
  }

  #uint32(at: number): number {
    return this.#whole === undefined ? this.#file.uint32(at) : uint32At(this.#whole, at)
  }

  #compare(index: number, id: Buffer): number {
    return this.#file.read(IDS_AT + index * this.#idBytes, this.#idBytes).compare(id)
  }

  #readFanout(): void {
    if (this.#file.uint32(0) !== SIGNATURE || this.#file.uint32(4) !== 2)
      throw new UnsupportedError('a pack index of an old version')
    const table = this.#file.read(FANOUT_AT, 256 * 4)
    for (let byte = 0; byte < 256; byte++) this.#fanout[byte + 1] = table.readUInt32BE(byte * 4)
  }

  #offset(index: number): number {
    const count = this.#fanout[256]!
    const offsets = IDS_AT + count * (this.#idBytes + 4)
    const offset = this.#uint32(offsets + index * 4)
    if (offset < LARGE_OFFSET) return offset
    const large = offsets + count * 4 + (offset - LARGE_OFFSET) * 8
    return this.#file.uint32(large) * 2 ** 32 + this.#file.uint32(large + 4)
  }
}
