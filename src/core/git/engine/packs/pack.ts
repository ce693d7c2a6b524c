import { Inflater } from './inflate.ts'
import { PackIndex, type PageCache, type PagedFile } from './pack-index.ts'
import type { ObjectArena } from './object-arena.ts'
import { UnsupportedError } from './unsupported-error.ts'

const damaged = (): UnsupportedError => new UnsupportedError('a damaged delta')

/** Shorter parts are copied byte by byte, which is faster. */
const MIN_NATIVE = 24

interface DeltaOptions {
  readonly maxBytes: number
  /** Allocates the result. The base is not changed. */
  take(length: number): Buffer
}

/** Applies a delta to its base (gitformat-pack, "Deltified representation"). */
function applyDelta(base: Buffer, delta: Buffer, { maxBytes, take }: DeltaOptions): Buffer {
  const reader = new DeltaReader(delta)
  if (reader.size() !== base.length) throw damaged()
  const size = reader.size()
  if (size > maxBytes) throw damaged()
  const result = take(size)
  let done = 0
  while (!reader.isAtEnd) {
    reader.next()
    const { isCopy, offset, length } = reader
    const source = isCopy ? base : delta
    if (offset + length > source.length || done + length > size) throw damaged()
    if (length >= MIN_NATIVE) source.copy(result, done, offset, offset + length)
    else for (let index = 0; index < length; index++) result[done + index] = source[offset + index]!
    done += length
  }
  if (done !== size) throw damaged()
  return result
}

/** NOTE: fields instead of one object per instruction, because a walk reads millions of them. */
class DeltaReader {
  /** The last instruction: whether it copies from the base or the delta, and which bytes. */
  isCopy = false
  offset = 0
  length = 0
  readonly #delta: Buffer
  #at = 0

  constructor(delta: Buffer) {
    this.#delta = delta
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#delta.length
  }

  /** Reads a number in groups of seven bits, lowest first. */
  size(): number {
    let value = 0
    for (let factor = 1; factor < 2 ** 42 && !this.isAtEnd; factor *= 128) {
      const byte = this.#delta[this.#at++]!
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw damaged()
  }

  next(): void {
    const code = this.#delta[this.#at++]!
    if (code === 0) throw damaged()
    this.isCopy = code >= 0x80
    if (this.isCopy) {
      this.offset = this.#number(code, 4)
      this.length = this.#number(code >> 4, 3) || 0x10000
      if (this.#at > this.#delta.length) throw damaged()
    } else {
      this.offset = this.#at
      this.length = code
      this.#at += code
    }
  }

  /** Reads the bytes of a number, lowest first; `present` has a bit for each byte that is stored. */
  #number(present: number, count: number): number {
    let value = 0
    for (let index = 0, factor = 1; index < count; index++, factor *= 256)
      if (present & (1 << index)) value += (this.#delta[this.#at++] ?? 0) * factor
    return value
  }
}

/** Maximum size of one object: the limit of the git reader for requests. */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024
/** Git reads packs of a terabyte and more. */
const MAX_PACK_BYTES = 2 ** 40
const MAX_CHAIN = 5000
const COMMIT = 1
const TREE = 2
const OFS_DELTA = 6
const REF_DELTA = 7
const TRAILER_BYTES = 20
const HEADER_BYTES = 64

interface Entry {
  readonly type: number
  readonly size: number
  /** Offset of the compressed data. */
  readonly data: number
  /** The offset of the base of a delta. */
  readonly base: number
}

/** One pack with its index. Reads commits and trees; throws UnsupportedError for a blob. */
export class Pack {
  readonly #file: PagedFile
  readonly #index: PackIndex
  readonly #idBytes: number
  /** Objects that were read before, by pack and position: deltas build on them. */
  readonly #arena: ObjectArena
  readonly #inflater = new Inflater()

  constructor(pages: PageCache, indexPath: string, { idBytes, arena }: { idBytes: number; arena: ObjectArena }) {
    this.#file = pages.open(`${indexPath.slice(0, -'.idx'.length)}.pack`)
    try {
      this.#index = new PackIndex(pages, indexPath, idBytes)
    } catch (error) {
      this.#file.close()
      throw error
    }
    this.#idBytes = idBytes
    this.#arena = arena
  }

  find(id: Buffer): number | undefined {
    return this.#index.find(id)
  }

  /** Bytes of its index in memory. */
  get bytes(): number {
    return this.#index.bytes
  }

  /** The content of the object at that offset, in the arena's memory. */
  read(offset: number): Buffer {
    const deltas: { readonly at: number; readonly data: Buffer }[] = []
    let content: Buffer | undefined
    for (let at = offset; ;) {
      content = this.#arena.get(this.#key(at))
      if (content) break
      const entry = this.#entry(at)
      if (entry.base === 0) {
        if (entry.type !== COMMIT && entry.type !== TREE) throw new UnsupportedError('neither a commit nor a tree')
        content = this.#kept(at, this.#inflate(entry))
        break
      }
      if (deltas.length === MAX_CHAIN) throw new UnsupportedError('a chain of deltas is too long')
      deltas.push({ at, data: this.#inflate(entry) })
      at = entry.base
    }
    // The new buffer does not overwrite the base, which was allocated or used immediately before.
    const options = { maxBytes: MAX_OBJECT_BYTES, take: (length: number) => this.#arena.take(length) }
    for (const { at, data } of deltas.reverse()) {
      content = applyDelta(content, data, options)
      this.#arena.keep(this.#key(at), content)
    }
    return content
  }

  close(): void {
    this.#index.close()
    this.#file.close()
  }

  #kept(offset: number, inflated: Buffer): Buffer {
    const content = this.#arena.take(inflated.length)
    inflated.copy(content)
    this.#arena.keep(this.#key(offset), content)
    return content
  }

  #key(offset: number): number {
    return this.#file.id * MAX_PACK_BYTES + offset
  }

  #entry(offset: number): Entry {
    const bytes = this.#file.read(offset, Math.min(HEADER_BYTES, this.#file.size - offset))
    let at = 0
    const type = (bytes[0]! >> 4) & 7
    let size = bytes[0]! & 15
    for (let factor = 16; bytes[at]! & 0x80; factor *= 128) size += (bytes[++at]! & 0x7f) * factor
    at++
    if (!(size <= MAX_OBJECT_BYTES)) throw new UnsupportedError('an object is too large')
    if (type === REF_DELTA) {
      const base = this.find(bytes.subarray(at, at + this.#idBytes))
      if (base === undefined) throw new UnsupportedError('the base of a delta is in another pack')
      return { type, size, data: offset + at + this.#idBytes, base }
    }
    if (type !== OFS_DELTA) return { type, size, data: offset + at, base: 0 }
    let distance = bytes[at]! & 0x7f
    while (bytes[at++]! & 0x80) distance = (distance + 1) * 128 + (bytes[at]! & 0x7f)
    if (!(distance > 0 && distance < offset)) throw new UnsupportedError('the base of a delta is outside of its pack')
    return { type, size, data: offset + at, base: offset - distance }
  }

  #inflate({ data, size }: Entry): Buffer {
    const available = this.#file.size - TRAILER_BYTES - data
    // Compressed data is rarely longer than its content; if it is, all bytes that may belong to it are read.
    const likely = Math.min(available, size + 512)
    const most = Math.min(available, size * 2 + 4096)
    const content =
      this.#inflater.inflate(this.#file.read(data, likely), size) ??
      this.#inflater.inflate(this.#file.read(data, most), size)
    if (!content) throw new UnsupportedError('compressed data is truncated')
    return content
  }
}
