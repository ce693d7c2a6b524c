import { inflateSync } from 'node:zlib'
import { UnsupportedError } from './unsupported-error.ts'

/** Larger results use the native library, whose calls cost about 15 microseconds each and create garbage. */
const MAX_SMALL = 1000
const MAX_BITS = 15

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
]
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
]
const DISTANCE_BITS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13]
/** The order in which the code length codes' lengths are stored. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** Not reentrant. Reuses its tables, whose allocation would take most of the time. */
export class Inflater {
  readonly #small = new SmallInflater()

  /**
   * Inflates exactly `size` bytes from zlib data (RFC 1950) at the start of the input and ignores the rest. Undefined
   * if the input is truncated; throws UnsupportedError if it is damaged.
   */
  inflate(input: Buffer, size: number): Buffer | undefined {
    return size <= MAX_SMALL ? this.#small.run(input, size) : inflateLarge(input, size)
  }
}

function inflateLarge(input: Buffer, size: number): Buffer | undefined {
  try {
    const content = inflateSync(input, { chunkSize: size + 1, maxOutputLength: size })
    if (content.length !== size) throw new UnsupportedError('the size of an object differs from its header')
    return content
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR') return undefined
    if (error instanceof UnsupportedError) throw error
    throw new UnsupportedError('damaged compressed data', { cause: error })
  }
}

/** Number of bits that one table lookup decodes. */
const TABLE_BITS = 9
const SYMBOL_BITS = 9

/** A canonical Huffman code. Refilled for each block. */
class Code {
  /** Indexed by the next input bits: the symbol and, in the bits above it, its code length; 0 for longer codes. */
  readonly table = new Uint16Array(1 << TABLE_BITS)
  /** The number of codes of each length. */
  readonly counts = new Uint16Array(MAX_BITS + 1)
  /** The symbols in code order. */
  readonly symbols: Uint16Array
  readonly #offsets = new Uint16Array(MAX_BITS + 2)
  readonly #next = new Uint16Array(MAX_BITS + 2)

  constructor(maxSymbols: number) {
    this.symbols = new Uint16Array(maxSymbols)
  }

  /** Builds the code from the lengths in a part of `lengths`; 0 means that the symbol has no code. */
  fill(lengths: Uint8Array, begin: number, end: number): this {
    const offsets = this.#offsets
    this.counts.fill(0)
    offsets[1] = 0
    this.#next[1] = 0
    for (let at = begin; at < end; at++) this.counts[lengths[at]!]!++
    this.counts[0] = 0
    for (let length = 1; length <= MAX_BITS; length++) {
      offsets[length + 1] = offsets[length]! + this.counts[length]!
      this.#next[length + 1] = (this.#next[length]! + this.counts[length]!) << 1
    }
    this.table.fill(0)
    for (let at = begin; at < end; at++) {
      const length = lengths[at]!
      if (length > 0) this.#add(at - begin, length)
    }
    return this
  }

  #add(symbol: number, length: number): void {
    const { table } = this
    this.symbols[this.#offsets[length]!++] = symbol
    const code = this.#next[length]!++
    if (length > TABLE_BITS) return
    const entry = symbol | (length << SYMBOL_BITS)
    for (let at = reversed(code, length); at < table.length; at += 1 << length) table[at] = entry
  }
}

/** Codes are stored with their first bit lowest. */
function reversed(code: number, length: number): number {
  let result = 0
  for (let bit = 0; bit < length; bit++) if (code & (1 << bit)) result |= 1 << (length - 1 - bit)
  return result
}

const MAX_LITERALS = 288
const MAX_DISTANCES = 32
const FIXED_LITERALS = new Uint8Array(MAX_LITERALS).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280)
const FIXED_DISTANCES = new Uint8Array(30).fill(5)

const NONE = Buffer.alloc(0)

class InputEndedError extends Error {}
const damaged = (): UnsupportedError => new UnsupportedError('damaged compressed data')

/** Inflates per RFC 1951: slower per byte than the library, but finished before the library has started. */
class SmallInflater {
  readonly #lengthCode = new Code(19)
  readonly #literals = new Code(MAX_LITERALS)
  readonly #distances = new Code(MAX_DISTANCES)
  readonly #lengths = new Uint8Array(MAX_LITERALS + 2 * MAX_DISTANCES)
  #input: Buffer = NONE
  #output: Buffer = NONE
  #at = 2
  #bits = 0
  #bitCount = 0
  #done = 0

  run(input: Buffer, size: number): Buffer | undefined {
    this.#input = input
    this.#output = Buffer.allocUnsafe(size)
    this.#at = 2
    this.#bits = 0
    this.#bitCount = 0
    this.#done = 0
    if ((this.#input[0]! & 15) !== 8 || this.#input.readUInt16BE(0) % 31 !== 0 || this.#input[1]! & 32) throw damaged()
    try {
      while (!this.#block());
      this.#toByte()
      if (this.#done !== this.#output.length) throw damaged()
      if (this.#at + 4 > this.#input.length) return undefined
    } catch (error) {
      if (error instanceof InputEndedError) return undefined
      throw error
    }
    if (this.#input.readUInt32BE(this.#at) !== adler32(this.#output)) throw damaged()
    return this.#output
  }

  /** Returns true after the last block. */
  #block(): boolean {
    const isLast = this.#take(1) === 1
    const kind = this.#take(2)
    if (kind === 0) this.#stored()
    else if (kind === 1) this.#fixed()
    else if (kind === 2) this.#dynamic()
    else throw damaged()
    return isLast
  }

  #take(count: number): number {
    while (this.#bitCount < count) {
      if (this.#at === this.#input.length) throw new InputEndedError()
      this.#bits |= this.#input[this.#at++]! << this.#bitCount
      this.#bitCount += 8
    }
    const value = this.#bits & ((1 << count) - 1)
    this.#bits >>>= count
    this.#bitCount -= count
    return value
  }

  #stored(): void {
    this.#toByte()
    if (this.#at + 4 > this.#input.length) throw new InputEndedError()
    const length = this.#input.readUInt16LE(this.#at)
    if ((length ^ 0xffff) !== this.#input.readUInt16LE(this.#at + 2)) throw damaged()
    this.#at += 4
    if (this.#at + length > this.#input.length) throw new InputEndedError()
    if (this.#done + length > this.#output.length) throw damaged()
    this.#input.copy(this.#output, this.#done, this.#at, this.#at + length)
    this.#at += length
    this.#done += length
  }

  /** Returns whole bytes that were read ahead and drops the remaining bits of the current byte. */
  #toByte(): void {
    this.#at -= this.#bitCount >>> 3
    this.#bits = 0
    this.#bitCount = 0
  }

  #fixed(): void {
    this.#literals.fill(FIXED_LITERALS, 0, FIXED_LITERALS.length)
    this.#distances.fill(FIXED_DISTANCES, 0, FIXED_DISTANCES.length)
    this.#codes()
  }

  #dynamic(): void {
    const lengths = this.#lengths
    const literals = this.#take(5) + 257
    const distances = this.#take(5) + 1
    const count = this.#take(4) + 4
    lengths.fill(0, 0, ORDER.length)
    for (let index = 0; index < count; index++) lengths[ORDER[index]!] = this.#take(3)
    this.#lengthCode.fill(lengths, 0, ORDER.length)
    this.#readLengths(literals + distances)
    this.#literals.fill(lengths, 0, literals)
    this.#distances.fill(lengths, literals, literals + distances)
    this.#codes()
  }

  #readLengths(count: number): void {
    const lengths = this.#lengths
    for (let at = 0; at < count;) {
      const symbol = this.#symbol(this.#lengthCode)
      if (symbol < 16) {
        lengths[at++] = symbol
        continue
      }
      const value = symbol === 16 && at > 0 ? lengths[at - 1]! : 0
      const end = at + this.#repeats(symbol)
      if (end > count) throw damaged()
      lengths.fill(value, at, end)
      at = end
    }
  }

  #repeats(symbol: number): number {
    if (symbol === 16) return 3 + this.#take(2)
    return symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7)
  }

  #symbol(code: Code): number {
    while (this.#bitCount < TABLE_BITS && this.#at < this.#input.length) {
      this.#bits |= this.#input[this.#at++]! << this.#bitCount
      this.#bitCount += 8
    }
    const entry = code.table[this.#bits & (code.table.length - 1)]!
    const length = entry >>> SYMBOL_BITS
    if (length === 0 || length > this.#bitCount) return this.#longSymbol(code)
    this.#bits >>>= length
    this.#bitCount -= length
    return entry & ((1 << SYMBOL_BITS) - 1)
  }

  #longSymbol({ counts, symbols }: Code): number {
    let code = 0
    let first = 0
    let index = 0
    for (let length = 1; length <= MAX_BITS; length++) {
      code |= this.#take(1)
      const count = counts[length]!
      if (code - count < first) return symbols[index + code - first]!
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw damaged()
  }

  #codes(): void {
    for (;;) {
      const symbol = this.#symbol(this.#literals)
      if (symbol === 256) return
      if (symbol > 256) this.#copy(symbol - 257)
      else if (this.#done === this.#output.length) throw damaged()
      else this.#output[this.#done++] = symbol
    }
  }

  #copy(symbol: number): void {
    if (symbol >= LENGTH_BASE.length) throw damaged()
    const length = LENGTH_BASE[symbol]! + this.#take(LENGTH_BITS[symbol]!)
    const far = this.#symbol(this.#distances)
    if (far >= DISTANCE_BASE.length) throw damaged()
    const distance = DISTANCE_BASE[far]! + this.#take(DISTANCE_BITS[far]!)
    if (distance > this.#done || this.#done + length > this.#output.length) throw damaged()
    // Not a range copy: the source may overlap the bytes being written.
    for (let index = 0; index < length; index++, this.#done++)
      this.#output[this.#done] = this.#output[this.#done - distance]!
  }
}

function adler32(data: Buffer): number {
  let low = 1
  let high = 0
  for (const byte of data) {
    low += byte
    high += low
  }
  // Below `MAX_SMALL` bytes the sums are exact.
  return ((high % 65521) * 65536 + (low % 65521)) >>> 0
}
