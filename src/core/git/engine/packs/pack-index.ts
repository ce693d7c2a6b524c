import { type PageCache, type PagedFile, uint32At } from './paged-file.ts'
import { UnsupportedError } from './unsupported-error.ts'

const SIGNATURE = 0xff744f63
const FANOUT_AT = 8
const IDS_AT = FANOUT_AT + 256 * 4
const LARGE_OFFSET = 0x80000000
/** Looks at places that the spread of ids suggests, before the bounds are halved. */
const MAX_GUESSES = 8
/** After so many searches the index is kept in memory, if it is not larger: they are spread over all its pages. */
const MIN_FINDS = 500
const MAX_WHOLE = 32 * 1024 * 1024

/** Finds objects in one pack: a `.idx` file of version 2 (gitformat-pack). */
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

  /** Where the object begins in the pack; undefined when it is not there. */
  find(id: Buffer): number | undefined {
    if (++this.#finds === MIN_FINDS && this.#file.size <= MAX_WHOLE) this.#whole = this.#file.whole()
    const first = id[0]!
    let low = this.#fanout[first]!
    let high = this.#fanout[first + 1]!
    // Ids are evenly spread, so the next bits say where to look; then the bounds are halved.
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

  /** In memory. */
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
      throw new UnsupportedError('an old pack index')
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
