/**
 * Inline Markdown as plain text: without code spans, HTML, comments and the texts of links, but with their targets. A
 * space replaces each omission. Runs in linear time.
 */
export function proseText(source: string): string {
  const scanner = new InlineScanner(source)
  return withoutEmphasis(scanner.read())
}

/** Underlines and asterisks next to words are emphasis, which does not separate words. */
const withoutEmphasis = (text: string): string =>
  text.replaceAll(/[*~]+|(?<![A-Za-z0-9_])_+|(?<=[^_])_+(?=$|[\s)\]}>'",.;:!?])/g, (marks) => ' '.repeat(marks.length))

const SPECIAL = /[\\`<[\]]/g
const PUNCTUATION = /[!-/:-@[-`{-~]/
const TAG = /<\/?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?\/?>/y
const AUTOLINK = /<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>/y
const TARGET =
  /\(\s{0,9}(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*))(?:\s{1,9}(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s{0,9}\)/y

class InlineScanner {
  readonly #source: string
  readonly #ticks = /`+/g
  /** The pieces of the result. */
  readonly #pieces: string[] = []
  /** Open brackets, each with the number of pieces before it. */
  readonly #brackets: { readonly at: number; readonly isImage: boolean }[] = []
  /** The last position of a run of backticks, by its length. */
  readonly #lastTicks = new Map<number, number>()
  readonly #lastCommentEnd: number

  constructor(source: string) {
    this.#source = source
    this.#lastCommentEnd = source.lastIndexOf('-->')
    for (const run of source.matchAll(this.#ticks)) this.#lastTicks.set(run[0].length, run.index)
  }

  read(): string {
    const source = this.#source
    let at = 0
    while (at < source.length) {
      SPECIAL.lastIndex = at
      const next = SPECIAL.exec(source)?.index ?? source.length
      if (next > at) this.#pieces.push(source.slice(at, next))
      at = next < source.length ? this.#readSpecial(next) : next
    }
    return this.#pieces.join('')
  }

  /** Parses the construct that begins at this position; returns the position after it. */
  #readSpecial(at: number): number {
    switch (this.#source[at]) {
      case '\\':
        return this.#readEscape(at)
      case '`':
        return this.#readCode(at)
      case '<':
        return this.#readAngle(at)
      case '[':
        this.#brackets.push({ at: this.#pieces.length, isImage: this.#source[at - 1] === '!' })
        this.#pieces.push('[')
        return at + 1
      default:
        return this.#readBracketEnd(at)
    }
  }

  #readEscape(at: number): number {
    const next = this.#source[at + 1]
    if (next === undefined || !PUNCTUATION.test(next)) {
      this.#pieces.push('\\')
      return at + 1
    }
    this.#pieces.push(next)
    return at + 2
  }

  #readCode(at: number): number {
    this.#ticks.lastIndex = at
    const { length } = this.#ticks.exec(this.#source)![0]
    if ((this.#lastTicks.get(length) ?? -1) <= at) {
      this.#pieces.push('`'.repeat(length))
      return at + length
    }
    for (;;) {
      const end = this.#ticks.exec(this.#source)!
      if (end[0].length !== length) continue
      this.#pieces.push(' ')
      return end.index + length
    }
  }

  #readAngle(at: number): number {
    const source = this.#source
    if (source.startsWith('<!--', at) && this.#lastCommentEnd > at) {
      this.#pieces.push(' ')
      return source.indexOf('-->', at) + 3
    }
    const link = matchAt(AUTOLINK, source, at)
    const tag = link ?? matchAt(TAG, source, at)
    this.#pieces.push(link ? ` ${link[1]} ` : tag ? ' ' : '<')
    return at + (tag?.[0].length ?? 1)
  }

  #readBracketEnd(at: number): number {
    const open = this.#brackets.pop()
    const target = open && matchAt(TARGET, this.#source, at + 1)
    if (open === undefined || !target) {
      this.#pieces.push(']')
      return at + 1
    }
    this.#pieces.length = open.at
    this.#pieces.push(open.isImage ? ' ' : ` ${target[1] ?? target[2] ?? ''} `)
    return at + 1 + target[0].length
  }
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}
