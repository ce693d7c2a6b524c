import { zstdDecompressSync } from 'node:zlib'
import { compileSafeFinder, type Span, type SpanFinder } from '../../../../core/platform/patterns/safe-regexp.ts'
import type { StoredText } from './candidates.store.ts'
import type { TextPattern } from './code-query.ts'

/** A line with matches. */
export interface Fragment {
  /** Number of the line, from 1. */
  readonly line: number
  /** The column of the first character of `text`, from 1: long lines are cut. */
  readonly column: number
  readonly text: string
  /** Characters of `text`, from 0; `end` is behind the last one. */
  readonly matches: readonly Span[]
}

/** A search in texts. */
export interface MatchQuestion {
  readonly pattern: TextPattern
  readonly texts: readonly StoredText[]
  /** How many of the texts that match, from the first on, are shown with their lines. */
  readonly shown: number
  /** Milliseconds. */
  readonly budget: number
}

export interface MatchAnswer {
  /** The texts that match. A text that is not shown has no fragments. */
  readonly found: readonly { readonly id: number; readonly fragments: readonly Fragment[] }[]
  /** Milliseconds. */
  readonly spent: number
  /** Whether the time was too short for all texts. */
  readonly isIncomplete: boolean
}

/** Maximum number of matches of one term in one text that are examined. */
const MAX_MATCHES = 200
const MAX_FRAGMENTS = 5
const MAX_LINE = 300
/** Characters shown before a match in a line that is cut. */
const BEFORE_MATCH = 60

/** Throws when the pattern cannot be compiled. */
export async function findMatches({ pattern, texts, shown, budget }: MatchQuestion): Promise<MatchAnswer> {
  const finders = await Promise.all(pattern.terms.map((term) => finderOf(pattern, term)))
  const begin = performance.now()
  const found: { id: number; fragments: readonly Fragment[] }[] = []
  const answer = (isIncomplete: boolean): MatchAnswer => ({ found, spent: performance.now() - begin, isIncomplete })
  for (const { id, text: stored } of texts) {
    if (performance.now() - begin > budget) return answer(true)
    const text = typeof stored === 'string' ? stored : zstdDecompressSync(stored).toString('utf8')
    if (!finders.every((finder) => finder.test(text))) continue
    found.push({ id, fragments: found.length < shown ? fragmentsOf(text, finders) : [] })
  }
  return answer(false)
}

async function finderOf({ mode, isCaseSensitive }: TextPattern, term: string): Promise<SpanFinder> {
  if (mode === 'regexp') return (await compileSafeFinder(term, !isCaseSensitive))!
  const literal = RegExp.escape(term)
  const letter = String.raw`[\p{L}\p{N}_]`
  const source = mode === 'word' ? `(?<!${letter})${literal}(?!${letter})` : literal
  const first = new RegExp(source, isCaseSensitive ? 'u' : 'iu')
  const all = new RegExp(first, `${first.flags}g`)
  return {
    test: (text) => first.test(text),
    *spans(text) {
      for (const { index, 0: match } of text.matchAll(all)) yield { start: index, end: index + match.length }
    },
  }
}

/** The matches that begin in the first lines with matches. */
function firstOf(text: string, spans: Iterable<Span>): Span[] {
  const first: Span[] = []
  let seen = 0
  let lines = 0
  let lineEnd = -1
  for (const span of spans) {
    if (++seen > MAX_MATCHES) break
    if (span.end === span.start) continue
    if (span.start > lineEnd) {
      if (++lines > MAX_FRAGMENTS) break
      const newline = text.indexOf('\n', span.start)
      lineEnd = newline === -1 ? text.length : newline
    }
    first.push(span)
  }
  return first
}

/** The first lines in which a match begins. */
function fragmentsOf(text: string, finders: readonly SpanFinder[]): Fragment[] {
  const spans = finders.flatMap((finder) => firstOf(text, finder.spans(text))).toSorted((a, b) => a.start - b.start)
  const fragments: Fragment[] = []
  let line = 1
  let lineStart = 0
  for (let at = 0; at < spans.length && fragments.length < MAX_FRAGMENTS;) {
    const { start } = spans[at]!
    for (let next = text.indexOf('\n', lineStart); next !== -1 && next < start; next = text.indexOf('\n', lineStart)) {
      line++
      lineStart = next + 1
    }
    const newline = text.indexOf('\n', lineStart)
    const lineEnd = newline === -1 ? text.length : newline
    const own: Span[] = []
    while (at < spans.length && spans[at]!.start <= lineEnd) own.push(spans[at++]!)
    fragments.push(cutLine(text.slice(lineStart, lineEnd), line, own.map(relativeTo(lineStart))))
  }
  return fragments
}

const relativeTo =
  (base: number) =>
  ({ start, end }: Span): Span => ({ start: start - base, end: end - base })

function cutLine(full: string, line: number, spans: readonly Span[]): Fragment {
  const from = full.length <= MAX_LINE ? 0 : Math.max(0, spans[0]!.start - BEFORE_MATCH)
  const text = full.slice(from, from + MAX_LINE).replace(/\r$/, '')
  const count = characterCounter(text)
  const matches = spans
    .map(relativeTo(from))
    .filter(({ start }) => start < text.length)
    .map(({ start, end }) => ({ start: count(start), end: count(Math.min(end, text.length)) }))
  return { line, column: countCharacters(full.slice(0, from)) + 1, text, matches }
}

/** Converts an index in UTF-16 to a count of characters. */
function characterCounter(text: string): (index: number) => number {
  const isPlain = !/[\ud800-\udfff]/.test(text)
  return (index) => (isPlain ? index : countCharacters(text.slice(0, index)))
}

/** NOTE: an emoji has two units of UTF-16. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
