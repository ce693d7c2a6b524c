import { createHash, type Hash } from 'node:crypto'
import { type DiffContext, type DiffSpan, requireSpans } from './diff-texts.ts'

/** The position of a hunk in a unified diff. A side without lines has the number of the preceding line as its start. */
export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
}

export const MARKER = { context: 0x20, added: 0x2b, deleted: 0x2d, noNewline: 0x5c } as const

/** Receives the parts of a diff in order. */
export interface DiffVisitor {
  /** A line before the hunks of a file, without its line end, cut at 16 KiB. */
  header?(line: string): void
  /** `text` is the hunk's whole header line. */
  hunk?(hunk: Hunk, text: string): void
  /**
   * Bytes of a line in the open hunk, without marker and line end. A long line arrives in pieces; the last has `isEnd`.
   */
  body?(marker: number, piece: Buffer, isEnd: boolean): void
}

const NEW_LINE = 0x0a
const MAX_HEADER = 16 * 1024
const HUNK = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/

/**
 * Reads a unified diff as git prints it, chunk by chunk, in linear time and with at most one header line in memory. The
 * counts in the header decide which lines belong to a hunk, so file content is never mistaken for a header.
 */
export class DiffScanner {
  readonly #visitor: DiffVisitor
  /** Remaining lines of the open hunk. */
  #oldLeft = 0
  #newLeft = 0
  #hasHunk = false
  /** The marker of the body line being read. */
  #marker: number | undefined
  #header = ''
  #isInHeader = false

  constructor(visitor: DiffVisitor) {
    this.#visitor = visitor
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#marker === undefined && !this.#isInHeader) at = this.#begin(chunk, at)
      const end = chunk.indexOf(NEW_LINE, at)
      const piece = chunk.subarray(at, end === -1 ? chunk.length : end)
      this.#read(piece, end !== -1)
      at = end === -1 ? chunk.length : end + 1
    }
  }

  /** Begins a line. An empty body line is a context line whose space was trimmed. */
  #begin(chunk: Buffer, at: number): number {
    const byte = chunk[at]!
    const isInHunk = this.#oldLeft > 0 || this.#newLeft > 0
    if (!isInHunk && !(this.#hasHunk && byte === MARKER.noNewline)) {
      this.#isInHeader = true
      return at
    }
    this.#marker = byte === NEW_LINE ? MARKER.context : byte
    return byte === NEW_LINE ? at : at + 1
  }

  #read(piece: Buffer, isEnd: boolean): void {
    if (this.#marker === undefined) this.#readHeader(piece, isEnd)
    else this.#readBody(this.#marker, piece, isEnd)
  }

  #readBody(marker: number, piece: Buffer, isEnd: boolean): void {
    this.#visitor.body?.(marker, piece, isEnd)
    if (!isEnd) return
    if (marker !== MARKER.added && marker !== MARKER.noNewline) this.#oldLeft--
    if (marker !== MARKER.deleted && marker !== MARKER.noNewline) this.#newLeft--
    this.#marker = undefined
  }

  #readHeader(piece: Buffer, isEnd: boolean): void {
    if (this.#header.length < MAX_HEADER) this.#header += piece.toString('latin1', 0, MAX_HEADER - this.#header.length)
    if (!isEnd) return
    const line = Buffer.from(this.#header, 'latin1').toString('utf8')
    this.#header = ''
    this.#isInHeader = false
    const found = HUNK.exec(line)
    if (found === null) {
      this.#hasHunk = false
      this.#visitor.header?.(line)
      return
    }
    const [oldStart, oldLines, newStart, newLines] = found.slice(1).map((digits) => Number(digits ?? 1))
    this.#oldLeft = oldLines!
    this.#newLeft = newLines!
    this.#hasHunk = true
    this.#visitor.hunk?.({ oldStart: oldStart!, oldLines: oldLines!, newStart: newStart!, newLines: newLines! }, line)
  }
}

const OPTIONS = { deadline: 60_000, maxOutput: 256 * 1024 * 1024 } as const

export type SamePatch = ReturnType<typeof createSamePatch>

export function createSamePatch({ format, cacheKey, command, memo }: Omit<DiffContext, 'objects'>) {
  const digestOf = (kind: string, { base, head }: DiffSpan, compute: () => Promise<string>): Promise<string> =>
    memo.get(`${cacheKey}${kind} ${base} ${head}`, () => 64, compute)

  /**
   * A digest of the ids and paths of all files that differ: equal digests prove equal patches without reading a file.
   */
  const filesDigest = (span: DiffSpan): Promise<string> =>
    digestOf('files digest', span, async () => {
      const hash = createHash('sha256')
      const args = ['diff-tree', '-r', '--no-renames', '--raw', '-z', '--no-abbrev', span.base, span.head]
      for await (const chunk of command.stream(args, OPTIONS)) hash.update(chunk)
      return hash.digest('hex')
    })

  const patchDigest = (span: DiffSpan): Promise<string> =>
    digestOf('patch digest', span, async () => {
      const digest = new PatchDigest()
      const scanner = new DiffScanner(digest)
      const args = ['diff-tree', '-r', '-p', '--no-renames', '--full-index', '--no-ext-diff', '--no-textconv']
      for await (const chunk of command.stream([...args, span.base, span.head], OPTIONS)) scanner.push(chunk)
      return digest.end()
    })

  return {
    /**
     * True if two diffs make the same changes to the same files, wherever in the file: true after a rebase that changed
     * nothing (behaviour/pull-requests#mergeability). White space counts. Runs one process for each diff if no file
     * changed on both sides, otherwise two.
     */
    async isSame(before: DiffSpan, after: DiffSpan): Promise<boolean> {
      requireSpans(format, before, after)
      if ((await filesDigest(before)) === (await filesDigest(after))) return true
      return (await patchDigest(before)) === (await patchDigest(after))
    },
  }
}

const BUFFER = 64 * 1024
const LINE_END = Buffer.from('\n')

/**
 * Hashes a diff without the parts that a rebase changes: line numbers and file ids. The ids of binary files are
 * included, as the diff shows nothing else of them.
 */
class PatchDigest implements DiffVisitor {
  readonly #hash: Hash = createHash('sha256')
  /** Collects short pieces: one hash call for each would dominate the time. */
  readonly #buffer = Buffer.allocUnsafe(BUFFER)
  #filled = 0
  #index: string | undefined
  #isLineOpen = false

  header(line: string): void {
    if (line.startsWith('Binary files ') && this.#index !== undefined) this.#add(Buffer.from(`${this.#index}\n`))
    this.#index = line.startsWith('index ') ? line : undefined
    if (this.#index === undefined) this.#add(Buffer.from(`${line}\n`))
  }

  hunk({ oldLines, newLines }: Hunk): void {
    this.#index = undefined
    this.#add(Buffer.from(`@@ ${oldLines} ${newLines}\n`))
  }

  body(marker: number, piece: Buffer, isEnd: boolean): void {
    if (!this.#isLineOpen) this.#add(Buffer.of(marker))
    this.#add(piece)
    if (isEnd) this.#add(LINE_END)
    this.#isLineOpen = !isEnd
  }

  end(): string {
    this.#flush()
    return this.#hash.digest('hex')
  }

  #add(piece: Buffer): void {
    if (this.#filled + piece.length > BUFFER) this.#flush()
    if (piece.length > BUFFER) {
      this.#hash.update(piece)
      return
    }
    piece.copy(this.#buffer, this.#filled)
    this.#filled += piece.length
  }

  #flush(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
  }
}
