import type { LineRange } from './diff-span.ts'
import { DiffScanner, type Hunk } from './hunk-scanner.ts'

/** The first line after a hunk, on each side. */
export const endOf = ({ oldStart, oldLines, newStart, newLines }: Hunk) => ({
  old: oldLines === 0 ? oldStart + 1 : oldStart + oldLines,
  new: newLines === 0 ? newStart + 1 : newStart + newLines,
})

const FIELDS = 4

/** The hunks of one file's diff without context lines: 16 bytes each, in the order of lines. */
export class LineRanges {
  readonly #numbers: Int32Array

  private constructor(numbers: Int32Array) {
    this.#numbers = numbers
  }

  /** Reads the diff of one file, printed without context lines. */
  static async read(diff: AsyncIterable<Buffer>): Promise<LineRanges> {
    const numbers: number[] = []
    const scanner = new DiffScanner({
      hunk: ({ oldStart, oldLines, newStart, newLines }) => numbers.push(oldStart, oldLines, newStart, newLines),
    })
    for await (const chunk of diff) scanner.push(chunk)
    return new LineRanges(Int32Array.from(numbers))
  }

  /** Of hunks. */
  get count(): number {
    return this.#numbers.length / FIELDS
  }

  /**
   * Where lines of the old file are in the new one. Undefined when one of them was changed or deleted, or when lines
   * were inserted between them, and for a binary file, which git prints no hunks of.
   */
  move({ first, last }: LineRange): LineRange | undefined {
    if (this.count === 0) return undefined
    const next = this.#firstEndingAfter(first)
    if (next < this.count) {
      const { oldStart, oldLines } = this.#at(next)
      if (oldLines === 0 ? oldStart < last : oldStart <= last) return undefined
    }
    const before = next === 0 ? { old: 1, new: 1 } : endOf(this.#at(next - 1))
    const shift = before.new - before.old
    return { first: first + shift, last: last + shift }
  }

  #at(index: number): Hunk {
    const [oldStart, oldLines, newStart, newLines] = this.#numbers.subarray(index * FIELDS, (index + 1) * FIELDS)
    return { oldStart: oldStart!, oldLines: oldLines!, newStart: newStart!, newLines: newLines! }
  }

  /** The index of the first hunk that ends after an old line: `count` when there is none. */
  #firstEndingAfter(line: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (endOf(this.#at(middle)).old > line) high = middle
      else low = middle + 1
    }
    return low
  }
}
