import { type DiffSide, type DiffLine, type DiffSpan, requireSpans, type DiffContext } from './diff-texts.ts'
import { type DiffVisitor, type Hunk, MARKER, DiffScanner } from './hunk-scanner.ts'
import { endOf, createLineMoves, type LineMoves, unlessTooMuch } from './line-moves.ts'
import { MODE } from '../object/tree.ts'
import { findFilePairs, type FilePair } from './file-pairs.ts'

/** Maximum lines of an excerpt, including the target line. */
const LINES = 4
/** Maximum bytes of a line in an excerpt; longer lines are cut. */
const MAX_LINE = 2048

/**
 * Finds a line in the hunks of a file's diff and keeps the part of the hunk that ends with it
 * (behaviour/pull-requests#positions-of-review-comments). Pass this visitor to a scanner with the diff of one file.
 */
export class HunkExcerpt implements DiffVisitor {
  readonly #side: DiffSide
  readonly #line: number
  #text: string | undefined
  #isPast = false
  #header = ''
  #seen = 0
  /** The next line numbers of the open hunk. */
  #next = { old: 0, new: 0 }
  /** The line numbers after the last hunk that ends before the line. */
  #before = { old: 1, new: 1 }
  #tail: BodyLine[] = []
  #pieces: Buffer[] = []
  #size = 0

  constructor(side: DiffSide, line: number) {
    this.#side = side
    this.#line = line
  }

  /** Undefined if the diff does not contain the line. */
  get text(): string | undefined {
    return this.#text
  }

  /** True if the rest of the diff cannot change the result. */
  get isDone(): boolean {
    return this.#text !== undefined || this.#isPast
  }

  /** The first line of each side after the preceding hunk, for a line between hunks. */
  get before(): { readonly old: number; readonly new: number } {
    return this.#before
  }

  hunk(hunk: Hunk, text: string): void {
    if (this.isDone) return
    const end = endOf(hunk)
    if (end[this.#side] <= this.#line) this.#before = end
    this.#isPast = (this.#side === 'old' ? hunk.oldStart : hunk.newStart) > this.#line
    this.#header = text
    this.#seen = 0
    this.#tail = []
    this.#next = { old: end.old - hunk.oldLines, new: end.new - hunk.newLines }
  }

  body(marker: number, piece: Buffer, isEnd: boolean): void {
    if (this.isDone) return
    if (this.#size < MAX_LINE) {
      this.#pieces.push(Buffer.from(piece.subarray(0, MAX_LINE - this.#size)))
      this.#size += piece.length
    }
    if (!isEnd) return
    const text = cutText(Buffer.concat(this.#pieces), this.#size)
    this.#pieces = []
    this.#size = 0
    this.#add({ marker, text })
  }

  #add(line: BodyLine): void {
    if (line.marker === MARKER.noNewline) {
      const last = this.#tail.pop()
      if (last) this.#tail.push({ ...last, text: `${last.text}\n\\${line.text}` })
      return
    }
    this.#seen++
    this.#tail.push(line)
    if (this.#tail.length > LINES) this.#tail.shift()
    const sides = sidesOf(line)
    if (sides[this.#side] && this.#next[this.#side] === this.#line) this.#text = this.#excerpt()
    this.#next = { old: this.#next.old + Number(sides.old), new: this.#next.new + Number(sides.new) }
  }

  #excerpt(): string {
    const lines = this.#tail.map(({ marker, text }) => String.fromCharCode(marker) + text)
    return [this.#seen > LINES ? this.#cutHeader() : this.#header, ...lines].join('\n')
  }

  /** The header for the last lines only, which `#next` does not count yet for the last one. */
  #cutHeader(): string {
    const range = (side: DiffSide): string => {
      const count = this.#tail.filter((line) => sidesOf(line)[side]).length
      const next = this.#next[side] + Number(sidesOf(this.#tail.at(-1)!)[side])
      return `${count === 0 ? next - 1 : next - count},${count}`
    }
    return `@@ -${range('old')} +${range('new')} @@`
  }
}

interface BodyLine {
  readonly marker: number
  readonly text: string
}

/** Decodes at most `MAX_LINE` bytes of a line of `size` bytes, without a partial character at the end. */
function cutText(bytes: Buffer, size: number): string {
  const text = bytes.toString('utf8')
  return size > MAX_LINE ? text.replace(/\uFFFD$/, '') : text
}

const sidesOf = ({ marker }: BodyLine) => ({ old: marker !== MARKER.added, new: marker !== MARKER.deleted })

/**
 * An excerpt of unchanged lines: up to `LINES` lines that end with the target line and start after the preceding hunk.
 * Empty if the file does not have that line.
 */
export function contextExcerpt(
  content: Buffer,
  { side, line }: { readonly side: DiffSide; readonly line: number },
  before: { readonly old: number; readonly new: number },
): string {
  const first = Math.max(1, line - LINES + 1, before[side])
  const lines = linesOf(content, first, line)
  if (lines.length === 0 || lines.length < line - first + 1) return ''
  const other = first + (side === 'old' ? before.new - before.old : before.old - before.new)
  const [oldStart, newStart] = side === 'old' ? [first, other] : [other, first]
  const header = `@@ -${oldStart},${lines.length} +${newStart},${lines.length} @@`
  return [header, ...lines.map((text) => ` ${text}`)].join('\n')
}

/** The given lines of a text, as far as they exist. */
function linesOf(content: Buffer, first: number, last: number): string[] {
  const lines: string[] = []
  let at = 0
  for (let number = 1; number <= last && at < content.length; number++) {
    const found = content.indexOf(0x0a, at)
    const end = found === -1 ? content.length : found
    if (number >= first) lines.push(cutText(content.subarray(at, Math.min(end, at + MAX_LINE)), end - at))
    at = end + 1
  }
  return lines
}

/** Operations on single lines of diffs: where they move, and the lines around them. */
export interface DiffLines extends LineMoves {
  /**
   * The part of a hunk that ends with a line: its header and up to four lines. A line outside the diff gets an excerpt
   * of unchanged lines. Empty if the file or the line does not exist, or if the file is binary
   * (behaviour/pull-requests#positions-of-review-comments).
   */
  excerpt(span: DiffSpan, line: DiffLine): Promise<string>
}

const BOUNDS = { deadline: 30_000, maxOutput: 256 * 1024 * 1024 } as const
/** Maximum bytes of a file whose unchanged lines are shown. */
const MAX_CONTENT = 16 * 1024 * 1024
const DIFF = ['diff-tree', '-p', '-r', '-M', '--no-ext-diff', '--no-textconv'] as const

export function createDiffLines(context: DiffContext): DiffLines {
  const { format, objects, command } = context

  async function scan({ base, head }: DiffSpan, pair: FilePair, excerpt: HunkExcerpt): Promise<void> {
    const paths = new Set([pair.old?.path ?? pair.new!.path, pair.new?.path ?? pair.old!.path])
    const scanner = new DiffScanner(excerpt)
    for await (const chunk of command.stream([...DIFF, base, head, '--', ...paths], BOUNDS)) {
      scanner.push(chunk)
      if (excerpt.isDone) return
    }
  }

  async function findPair({ base, head }: DiffSpan, path: string): Promise<FilePair | undefined> {
    const find = async (side: 'old' | 'new') =>
      (await findFilePairs(context, { old: base, new: head }, { side, paths: new Set([path]) })).get(path)
    return (await find('new')) ?? (await find('old'))
  }

  async function aroundNoChange(oid: string, line: Omit<DiffLine, 'path'>, { before }: HunkExcerpt): Promise<string> {
    const content = await unlessTooMuch(objects.blob(oid, MAX_CONTENT))
    return content === undefined || content.includes(0) ? '' : contextExcerpt(content, line, before)
  }

  return {
    ...createLineMoves(context),
    async excerpt(span, { path, side, line }) {
      requireSpans(format, span)
      const pair = await findPair(span, path)
      const file = pair?.[side]
      if (file === undefined) return ''
      const excerpt = new HunkExcerpt(side, line)
      if (isChanged(pair!)) await scan(span, pair!, excerpt)
      if (excerpt.text !== undefined) return excerpt.text
      return file.mode === MODE.submodule ? '' : aroundNoChange(file.oid, { side, line }, excerpt)
    },
  }
}

const isChanged = (pair: FilePair): boolean => pair.old?.oid !== pair.new?.oid || pair.old?.mode !== pair.new?.mode
