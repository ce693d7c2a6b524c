import { createHash, type Hash } from 'node:crypto'
import type { DiffContext } from './diff-context.ts'
import { type DiffSpan, requireSpans } from './diff-span.ts'
import { DiffScanner, type DiffVisitor, type Hunk } from './hunk-scanner.ts'

const OPTIONS = { deadline: 60_000, maxOutput: 256 * 1024 * 1024 } as const

export type SamePatch = ReturnType<typeof createSamePatch>

export function createSamePatch({ format, cacheKey, command, memo }: Omit<DiffContext, 'objects'>) {
  const digestOf = (kind: string, { base, head }: DiffSpan, compute: () => Promise<string>): Promise<string> =>
    memo.get(`${cacheKey}${kind} ${base} ${head}`, () => 64, compute)

  /** Of the ids and paths of all files that differ: equal ones prove equal patches, without reading a file. */
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
     * Whether two diffs change the same files in the same way wherever in the file: true after a rebase that changed
     * nothing (behaviour/pull-requests#mergeability). White space counts. One process for each diff where no file was
     * changed on both sides, else two.
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
 * Hashes a diff without what a rebase changes: numbers of lines, and ids of files but binary ones, which the diff says
 * nothing else about.
 */
class PatchDigest implements DiffVisitor {
  readonly #hash: Hash = createHash('sha256')
  /** Gathers short pieces: a call of the hash for each would take most of the time. */
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
