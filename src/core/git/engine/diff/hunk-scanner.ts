/** Where a hunk of a unified diff is. A side without lines has the number of the line before as its start. */
export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
}

export const MARKER = { context: 0x20, added: 0x2b, deleted: 0x2d, noNewline: 0x5c } as const

/** What a scanner finds, in the order of the diff. */
export interface DiffVisitor {
  /** A line before the hunks of a file, without its line end; what is beyond 16 KiB is cut off. */
  header?(line: string): void
  /** `text` is the whole header line of the hunk. */
  hunk?(hunk: Hunk, text: string): void
  /**
   * Bytes of a line of the open hunk without its marker and line end: a long line comes in several pieces, of which the
   * last one has `isEnd`.
   */
  body?(marker: number, piece: Buffer, isEnd: boolean): void
}

const NEW_LINE = 0x0a
const MAX_HEADER = 16 * 1024
const HUNK = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/

/**
 * Reads a unified diff as git prints it, chunk by chunk: linear in its bytes, and holds no more than one header line.
 * Lines belong to a hunk by the counts of its header, so the content of a file is never taken for a header.
 */
export class DiffScanner {
  readonly #visitor: DiffVisitor
  /** Lines of the open hunk that are still to come. */
  #oldLeft = 0
  #newLeft = 0
  #hasHunk = false
  /** The marker of the body line that is being read. */
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

  /** The start of a line. A body line that is empty is a context line whose space was trimmed. */
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
