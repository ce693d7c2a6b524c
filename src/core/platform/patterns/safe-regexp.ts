/** Copies of parts that counted repetitions of an expression may make: each one is compiled and followed by itself. */
const MAX_COPIES = 1000
const REPETITION = /(\))?\{(\d{1,5})?(?:,(\d{1,5})?)?\}/g

/**
 * A regular expression that a user wrote, in the syntax of RE2: matched in time linear in the text, so that no
 * pattern can stop the server. Matches anywhere in the text. Undefined when it is not an expression, or when its
 * counted repetitions make it too large.
 */
export async function compileSafeRegExp(source: string): Promise<((text: string) => boolean) | undefined> {
  if (copies(source) > MAX_COPIES) return undefined
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source)
    return (text) => compiled.matcher(text).find()
  } catch {
    return undefined
  }
}

/** The places of a text where something stands; `end` is behind its last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface SpanFinder {
  /** Whether there is a match: many times faster than the first span. */
  test(text: string): boolean
  spans(text: string): Iterable<Span>
}

/** Like `compileSafeRegExp`, but finds where an expression matches; `^` and `$` match at lines. */
export async function compileSafeFinder(source: string, ignoreCase: boolean): Promise<SpanFinder | undefined> {
  if (copies(source) > MAX_COPIES) return undefined
  const { RE2JS } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
    return {
      test: (text) => compiled.test(text),
      *spans(text) {
        const matcher = compiled.matcher(text)
        while (matcher.find()) yield { start: matcher.start(), end: matcher.end() }
      },
    }
  } catch {
    return undefined
  }
}

/** A lower bound of the copies that the repetitions make: groups may be nested in each other. */
function copies(source: string): number {
  let sum = 0
  let product = 1
  for (const [, group, least = '0', most = '0'] of source.matchAll(REPETITION)) {
    const count = Math.max(1, Number(least), Number(most))
    sum += count
    if (group !== undefined) product *= count
  }
  return sum * product
}
