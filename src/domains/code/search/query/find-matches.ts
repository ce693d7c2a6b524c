import { zstdDecompressSync } from 'node:zlib'
import { compileSafeFinder, type Span, type SpanFinder } from '../../../../core/platform/patterns/safe-regexp.ts'
import type { TextPattern } from './code-query.ts'

/** A line with matches. */
export interface Fragment {
  /** From 1. */
  readonly line: number
  /** The column of the first character of `text`, from 1: long lines are cut. */
  readonly column: number
  readonly text: string
  /** Characters of `text`, from 0; `end` is behind the last one. */
  readonly matches: readonly Span[]
}

/** A search in texts, which may be compressed. */
export interface MatchQuestion {
  readonly pattern: TextPattern
  readonly texts: readonly (string | Uint8Array)[]
  /** Milliseconds. */
  readonly budget: number
}

export interface MatchAnswer {
  /** Of each text, in order; empty for a text that does not match. */
  readonly found: readonly (readonly Fragment[])[]
  /** Whether the time was too short for all texts; the last ones are missing then. */
  readonly isIncomplete: boolean
}

/** Of one term in one text. */
const MAX_MATCHES = 200
const MAX_FRAGMENTS = 5
const MAX_LINE = 300
/** Characters shown before a match in a line that is cut. */
const BEFORE_MATCH = 60

/** Throws when the pattern cannot be compiled. */
export async function findMatches({ pattern, texts, budget }: MatchQuestion): Promise<MatchAnswer> {
  const finders = await Promise.all(pattern.terms.map((term) => finderOf(pattern, term)))
  const deadline = performance.now() + budget
  const found: Fragment[][] = []
  for (const text of texts) {
    if (performance.now() > deadline) break
    found.push(matchText(typeof text === 'string' ? text : zstdDecompressSync(text).toString('utf8'), finders))
  }
  return { found, isIncomplete: found.length < texts.length }
}

async function finderOf({ mode, isCaseSensitive }: TextPattern, term: string): Promise<SpanFinder> {
  if (mode === 'regexp') return (await compileSafeFinder(term, !isCaseSensitive))!
  const literal = RegExp.escape(term)
  const letter = String.raw`[\p{L}\p{N}_]`
  const source = mode === 'word' ? `(?<!${letter})${literal}(?!${letter})` : literal
  const expression = new RegExp(source, isCaseSensitive ? 'gu' : 'giu')
  return function* (text) {
    for (const { index, 0: match } of text.matchAll(expression)) yield { start: index, end: index + match.length }
  }
}

function matchText(text: string, finders: readonly SpanFinder[]): Fragment[] {
  const all: Span[] = []
  for (const find of finders) {
    const own = firstOf(find(text))
    if (own.length === 0) return []
    all.push(...own)
  }
  return fragmentsOf(
    text,
    all.toSorted((a, b) => a.start - b.start),
  )
}

function firstOf(spans: Iterable<Span>): Span[] {
  const first: Span[] = []
  let seen = 0
  for (const span of spans) {
    if (span.end > span.start) first.push(span)
    if (++seen === MAX_MATCHES) break
  }
  return first
}

/** The first lines in which a match begins. */
function fragmentsOf(text: string, spans: readonly Span[]): Fragment[] {
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
