import type { Slab } from './slab.ts'
import { UnsupportedError } from './unsupported-error.ts'

const damaged = (): UnsupportedError => new UnsupportedError('a damaged delta')

interface DeltaOptions {
  readonly maxBytes: number
  readonly slab: Slab
}

/** Makes an object of its base and a delta (gitformat-pack, "Deltified representation"). */
export function applyDelta(base: Buffer, delta: Buffer, { maxBytes, slab }: DeltaOptions): Buffer {
  const reader = new DeltaReader(delta)
  if (reader.size() !== base.length) throw damaged()
  const size = reader.size()
  if (size > maxBytes) throw damaged()
  const result = slab.take(size)
  let done = 0
  while (!reader.isAtEnd) {
    const { source, offset, length } = reader.instruction(base)
    if (offset + length > source.length || done + length > size) throw damaged()
    done += source.copy(result, done, offset, offset + length)
  }
  if (done !== size) throw damaged()
  return result
}

interface Instruction {
  /** The base or the delta itself. */
  readonly source: Buffer
  readonly offset: number
  readonly length: number
}

class DeltaReader {
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

  instruction(base: Buffer): Instruction {
    const code = this.#delta[this.#at++]!
    if (code === 0) throw damaged()
    if (code >= 0x80) {
      const offset = this.#bytes(code, 4)
      return { source: base, offset, length: this.#bytes(code >> 4, 3) || 0x10000 }
    }
    this.#at += code
    return { source: this.#delta, offset: this.#at - code, length: code }
  }

  /** The bytes of a number, the lowest first, of which those are present whose bits are set. */
  #bytes(present: number, count: number): number {
    let value = 0
    for (let bit = 0; bit < count; bit++) if (present & (1 << bit)) value += this.#delta[this.#at++]! * 2 ** (bit * 8)
    if (Number.isNaN(value)) throw damaged()
    return value
  }
}
