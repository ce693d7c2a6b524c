import type { Diffs } from '../history/diff.ts'
import type { GitCommand } from '../command.ts'
import type { Memo } from '../memo.ts'
import { type ObjectFormat, isOid } from '../object/format.ts'
import type { Objects } from '../read/objects.ts'
import { GitError } from '../../errors.ts'

/** The repository whose commits are compared. */
export interface DiffContext {
  readonly format: ObjectFormat
  readonly cacheKey: string
  readonly objects: Objects
  readonly command: GitCommand
  readonly memo: Memo
}

/** The commits of a diff: those of a pull request are its merge base and its head. */
export interface DiffSpan {
  readonly base: string
  readonly head: string
}

export type DiffSide = 'old' | 'new'

/** Lines of a file, numbered from 1, both ends included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** Lines of one file of a commit. */
export interface FileLines extends LineRange {
  readonly path: string
}

/** Lines on one side of a diff. The path is the file's name in the head, or the old name if the head lacks the file. */
export interface DiffRange extends FileLines {
  readonly side: DiffSide
}

/** A line on one side of a diff, with a path as in `DiffRange`. */
export interface DiffLine {
  readonly path: string
  readonly side: DiffSide
  readonly line: number
}

/** Throws GitError `invalid` when one of the ids is not a full one of the format. */
export function requireSpans(format: ObjectFormat, ...spans: readonly DiffSpan[]): void {
  for (const oid of spans.flatMap(({ base, head }) => [base, head]))
    if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid.slice(0, 80)}`)
}

/** `binary`: a diff with the bytes of binary files; `mails`: a series of patches as `git format-patch` writes them. */
type DiffTextKind = 'diff' | 'binary' | 'mails'

/** Maximum bytes of a cached text. */
const MAX_KEPT = 256 * 1024

interface Kept {
  /** Undefined if the text is too long to cache. */
  readonly bytes: Buffer | undefined
}

export type DiffTexts = ReturnType<typeof createDiffTexts>

export function createDiffTexts(
  { format, cacheKey, memo }: Pick<DiffContext, 'format' | 'cacheKey' | 'memo'>,
  diffs: Diffs,
) {
  const print = (kind: DiffTextKind, { base, head }: DiffSpan, signal?: AbortSignal) =>
    kind === 'mails'
      ? diffs.mails(base, head, signal && { signal })
      : diffs.patch(base, head, { binary: kind === 'binary', ...(signal && { signal }) })

  return {
    /**
     * The text of a diff as git prints it. A short text is cached and needs no process the next time; a long one is
     * streamed at its reader's pace.
     */
    async read(
      kind: DiffTextKind,
      span: DiffSpan,
      signal?: AbortSignal,
    ): Promise<Buffer | AsyncGenerator<Buffer, void, undefined>> {
      requireSpans(format, span)
      const { bytes } = await memo.get<Kept>(
        `${cacheKey}text ${kind} ${span.base} ${span.head}`,
        (kept) => kept.bytes?.length ?? 8,
        async () => ({ bytes: await readShort(print(kind, span)) }),
      )
      return bytes ?? print(kind, span, signal)
    },
  }
}

/** Reads the whole text; returns undefined as soon as it is too long. */
async function readShort(stream: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_KEPT) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
