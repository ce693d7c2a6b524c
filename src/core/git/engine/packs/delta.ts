import { UnsupportedError } from './unsupported-error.ts'

const damaged = (): UnsupportedError => new UnsupportedError('a damaged delta')

/** Shorter parts are copied byte by byte, which is faster. */
const MIN_NATIVE = 24

interface DeltaOptions {
  readonly maxBytes: number
  /** Gives the memory of the result. The base stays as it is. */
  take(length: number): Buffer
}

/** Makes an object of its base and a delta (gitformat-pack, "Deltified representation"). */
export function applyDelta(base: Buffer, delta: Buffer, { maxBytes, take }: DeltaOptions): Buffer {
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

/** NOTE: fields instead of an object for each instruction, of which a walk reads millions. */
class DeltaReader {
  /** Of the instruction that was read last: whether its bytes are those of the base or of the delta, and which. */
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

  /** A number in groups of seven bits, the lowest first. */
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

  /** The bytes of a number, the lowest first, of which those are present whose bits are set. */
  #number(present: number, count: number): number {
    let value = 0
    for (let index = 0, factor = 1; index < count; index++, factor *= 256)
      if (present & (1 << index)) value += (this.#delta[this.#at++] ?? 0) * factor
    return value
  }
}
