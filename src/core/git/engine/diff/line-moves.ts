import { isGitError } from '../../errors.ts'
import { MODE } from '../object/tree.ts'
import {
  type DiffContext,
  type DiffRange,
  type DiffSide,
  type DiffSpan,
  type FileLines,
  requireSpans,
  type LineRange,
} from './diff-texts.ts'
import { findFilePairs, type FilePair, isSameKind } from './file-pairs.ts'
import { DiffScanner, type Hunk } from './hunk-scanner.ts'

/** The first line after a hunk on each side. */
export const endOf = ({ oldStart, oldLines, newStart, newLines }: Hunk) => ({
  old: oldLines === 0 ? oldStart + 1 : oldStart + oldLines,
  new: newLines === 0 ? newStart + 1 : newStart + newLines,
})

const FIELDS = 4

/** The hunks of one file's diff without context lines, in line order, 16 bytes each. */
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

  /** The number of hunks. */
  get count(): number {
    return this.#numbers.length / FIELDS
  }

  /**
   * Maps lines of the old file to the new one. Undefined if one of them was changed or deleted, or lines were inserted
   * between them. Also undefined for a binary file, for which git prints no hunks.
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

  /** The index of the first hunk that ends after an old line, or `count`. */
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

type Moved = readonly (FileLines | undefined)[]

const BOUNDS = { deadline: 30_000, maxOutput: 256 * 1024 * 1024 } as const
const DIFF = ['diff', '--unified=0', '--no-ext-diff', '--no-textconv', '--no-color'] as const

export type LineMoves = ReturnType<typeof createLineMoves>

export function createLineMoves(context: DiffContext) {
  const { format, cacheKey, command, memo } = context

  const rangesOf = (from: string, to: string): Promise<LineRanges> =>
    memo.get(
      `${cacheKey}ranges ${from} ${to}`,
      ({ count }) => count * 16,
      () => LineRanges.read(command.stream([...DIFF, from, to], BOUNDS)),
    )

  async function moveOne(range: FileLines, pair: FilePair | undefined): Promise<FileLines | undefined> {
    if (pair?.old === undefined || pair.new === undefined || !isSameKind(pair.old, pair.new)) return undefined
    const { path, oid, mode } = pair.new
    if (pair.old.oid === oid) return { ...range, path }
    if (mode === MODE.submodule) return undefined
    const moved = (await unlessTooMuch(rangesOf(pair.old.oid, oid)))?.move(range)
    return moved && { path, ...moved }
  }

  /**
   * Maps lines of files in the commit `from` to the commit `to`, in the given order, following renames. Undefined if a
   * line was changed or deleted, lines were inserted between them, or the file was deleted
   * (behaviour/pull-requests#positions-of-review-comments). Lines of a binary file or a submodule stay valid only while
   * the file is unchanged. Runs at most one process for renames and one for each file that differs.
   */
  async function move(from: string, to: string, ranges: readonly FileLines[]): Promise<Moved> {
    requireSpans(format, { base: from, head: to })
    if (from === to) return ranges
    const pairs = await findFilePairs(context, { old: from, new: to }, { side: 'old', paths: pathsOf(ranges) })
    const moved: (FileLines | undefined)[] = []
    for (const range of ranges) moved.push(await moveOne(range, pairs.get(range.path)))
    return moved
  }

  /** The same lines under the files' names on one side of a diff. A name that the other side lacks stays. */
  async function named(side: DiffSide, { base, head }: DiffSpan, ranges: Moved): Promise<Moved> {
    const by = { side: side === 'old' ? 'new' : 'old', paths: pathsOf(ranges) } as const
    const pairs = await findFilePairs(context, { old: base, new: head }, by)
    return ranges.map((range) => range && { ...range, path: pairs.get(range.path)?.[side]?.path ?? range.path })
  }

  async function moveOldSide(before: DiffSpan, after: DiffSpan, ranges: readonly FileLines[]): Promise<Moved> {
    if (ranges.length === 0) return ranges
    const old = (await named('old', before, ranges)).filter((range) => range !== undefined)
    return named('new', after, await move(before.base, after.base, old))
  }

  return {
    move,
    /**
     * Maps lines of one diff to another, in the given order: old-side lines through the two bases, new-side lines
     * through the two heads. Undefined in the cases that `move` lists.
     */
    async follow(before: DiffSpan, after: DiffSpan, ranges: readonly DiffRange[]): Promise<Moved> {
      requireSpans(format, before, after)
      const onSide = (side: DiffSide) => ranges.filter((range) => range.side === side).map(linesOf)
      const moved = {
        old: (await moveOldSide(before, after, onSide('old'))).values(),
        new: (await move(before.head, after.head, onSide('new'))).values(),
      }
      return ranges.map(({ side }) => moved[side].next().value)
    },
  }
}

const linesOf = ({ path, first, last }: DiffRange): FileLines => ({ path, first, last })

const pathsOf = (ranges: Moved): ReadonlySet<string> => new Set(ranges.flatMap((range) => range?.path ?? []))

/** Undefined if the diff takes too long or too much memory. */
export async function unlessTooMuch<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return undefined
    throw error
  }
}
