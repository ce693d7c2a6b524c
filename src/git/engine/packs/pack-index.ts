import type { PageCache, PagedFile } from './paged-file.ts'
import { UnsupportedError } from './unsupported-error.ts'

const SIGNATURE = 0xff744f63
const FANOUT_AT = 8
const IDS_AT = FANOUT_AT + 256 * 4
const LARGE_OFFSET = 0x80000000

/** Finds objects in one pack: a `.idx` file of version 2 (gitformat-pack). Only its fanout is kept in memory. */
export class PackIndex {
  readonly #file: PagedFile
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
    const first = id[0]!
    let low = this.#fanout[first]!
    let high = this.#fanout[first + 1]!
    // Ids are evenly spread, so the next bits say where to look; then the bounds are halved.
    const share = id.readUIntBE(1, 3) / 2 ** 24
    let middle = low + Math.floor((high - low) * share)
    for (let step = 0; low < high; step++) {
      const order = this.#file.read(IDS_AT + middle * this.#idBytes, this.#idBytes).compare(id)
      if (order === 0) return this.#offset(middle)
      if (order < 0) low = middle + 1
      else high = middle
      middle = nextGuess({ low, high, middle, isBelow: order < 0, step })
    }
    return undefined
  }

  close(): void {
    this.#file.close()
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
    const offset = this.#file.uint32(offsets + index * 4)
    if (offset < LARGE_OFFSET) return offset
    const large = offsets + count * 4 + (offset - LARGE_OFFSET) * 8
    return this.#file.uint32(large) * 2 ** 32 + this.#file.uint32(large + 4)
  }
}

interface Guess {
  readonly low: number
  readonly high: number
  readonly middle: number
  readonly isBelow: boolean
  readonly step: number
}

/** A few growing steps away from the first guess, which is near, then halves. */
function nextGuess({ low, high, middle, isBelow, step }: Guess): number {
  const half = (low + high) >>> 1
  if (step > 4) return half
  const stride = 16 << step
  return isBelow ? Math.min(middle + stride, half) : Math.max(middle - stride, half)
}
