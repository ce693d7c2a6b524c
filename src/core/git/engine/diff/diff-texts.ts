import type { Diffs } from '../history/diff.ts'
import type { DiffContext } from './diff-context.ts'
import { type DiffSpan, requireSpans } from './diff-span.ts'

/** `binary`: a diff with the bytes of binary files; `mails`: a series of patches as `git format-patch` writes them. */
type DiffTextKind = 'diff' | 'binary' | 'mails'

/** Bytes of a text that is kept. */
const MAX_KEPT = 256 * 1024

interface Kept {
  /** Undefined for a text that is too long. */
  readonly bytes: Buffer | undefined
}

export type DiffTexts = ReturnType<typeof createDiffTexts>

export function createDiffTexts(
  { format, cacheKey, memo }: Pick<DiffContext, 'format' | 'cacheKey' | 'memo'>,
  diffs: Diffs,
) {
  const print = (kind: DiffTextKind, { base, head }: DiffSpan, signal?: AbortSignal) =>
    kind === 'mails'
      ? diffs.mails(base, head, signal)
      : diffs.patch(base, head, { binary: kind === 'binary', ...(signal && { signal }) })

  return {
    /**
     * The text of a diff as git prints it. A short one stays in the cache and needs no process the next time; a long one
     * comes at the pace of its reader.
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

/** The whole text, or undefined as soon as it is too long. */
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
