import { MODE } from '../object/tree.ts'
import type { DiffContext } from './diff-context.ts'
import { type DiffLine, type DiffSpan, requireSpans } from './diff-span.ts'
import { findFilePairs, type FilePair } from './file-pairs.ts'
import { contextExcerpt, HunkExcerpt } from './hunk-excerpt.ts'
import { DiffScanner } from './hunk-scanner.ts'
import { createLineMoves, type LineMoves, unlessTooMuch } from './line-moves.ts'

/** Single lines of diffs: where they move, and what is around them. */
export interface DiffLines extends LineMoves {
  /**
   * The part of a hunk that ends with a line: its header and up to four lines. For a line outside of the diff, lines
   * around no change; empty where there is no such file or line, or only a binary one
   * (behaviour/pull-requests#positions-of-review-comments).
   */
  excerpt(span: DiffSpan, line: DiffLine): Promise<string>
}

const BOUNDS = { deadline: 30_000, maxOutput: 256 * 1024 * 1024 } as const
/** Bytes of a file of which unchanged lines are shown. */
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

  async function aroundNoChange(oid: string, place: Omit<DiffLine, 'path'>, { before }: HunkExcerpt): Promise<string> {
    const content = await unlessTooMuch(objects.blob(oid, MAX_CONTENT))
    return content === undefined || content.includes(0) ? '' : contextExcerpt(content, place, before)
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
