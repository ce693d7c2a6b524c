type Range = readonly [low: number, high: number]

/** Ranges of code points, of which a single character is the shortest; sorted and apart from each other. */
interface CharacterClass {
  readonly isNegated: boolean
  readonly ranges: readonly Range[]
}

export function isMember(ranges: readonly Range[], code: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ranges[middle]![1] < code) low = middle + 1
    else high = middle
  }
  return low < ranges.length && ranges[low]![0] <= code
}

/** A pattern as items, numbered in their order. */
export interface GlobItems {
  /** The number of items: the position at which a text has matched. */
  readonly length: number
  readonly literals: ReadonlyMap<string, readonly number[]>
  readonly classes: ReadonlyMap<number, CharacterClass>
  readonly anyOne: readonly number[]
  readonly stars: readonly number[]
  readonly doubleStars: readonly number[]
  /**
   * By item, the items reached without a character: the branches of braces, and after the end of each branch the next
   * item.
   */
  readonly jumps: ReadonlyMap<number, readonly number[]>
}

export function parseGlob(pattern: string): GlobItems {
  const parser = new GlobParser([...pattern])
  parser.parse()
  return parser
}

class GlobParser implements GlobItems {
  length = 0
  readonly literals = new Map<string, number[]>()
  readonly classes = new Map<number, CharacterClass>()
  readonly anyOne: number[] = []
  readonly stars: number[] = []
  readonly doubleStars: number[] = []
  readonly jumps = new Map<number, number[]>()
  readonly #chars: readonly string[]
  readonly #closers: ReadonlyMap<number, number>

  constructor(chars: readonly string[]) {
    this.#chars = chars
    this.#closers = findClosers(chars)
  }

  parse(): void {
    this.#sequence(0, this.#chars.length)
  }

  /** Adds items for the characters `at` to `end`. */
  #sequence(at: number, end: number): void {
    while (at < end) {
      const char = this.#chars[at]!
      const close = this.#closers.get(at)
      if (char === '*') at = this.#star(at, end)
      else if (close !== undefined) {
        if (char === '{') this.#alternatives(at, close)
        else this.classes.set(this.length++, readClass(this.#chars.slice(at + 1, close)))
        at = close + 1
      } else if (char === '?') {
        this.anyOne.push(this.length++)
        at++
      } else {
        const isEscape = char === '\\' && at + 1 < end
        this.#literal(isEscape ? this.#chars[at + 1]! : char)
        at += isEscape ? 2 : 1
      }
    }
  }

  #literal(char: string): void {
    const known = this.literals.get(char)
    if (known) known.push(this.length++)
    else this.literals.set(char, [this.length++])
  }

  /** More than two stars are as two. Gives the index after them. */
  #star(at: number, end: number): number {
    let after = at
    while (after < end && this.#chars[after] === '*') after++
    if (after - at > 1) this.doubleStars.push(this.length++)
    else this.stars.push(this.length++)
    return after
  }

  #alternatives(open: number, close: number): void {
    const branches: number[] = []
    const ends: number[] = []
    this.jumps.set(this.length++, branches)
    let start = open + 1
    for (let at = start; at <= close; at++) {
      if (at < close && this.#chars[at] !== ',') {
        at = this.#chars[at] === '\\' ? at + 1 : (this.#closers.get(at) ?? at)
        continue
      }
      branches.push(this.length)
      this.#sequence(start, at)
      ends.push(this.length++)
      start = at + 1
    }
    for (const end of ends) this.jumps.set(end, [this.length])
  }
}

/** The ends of all classes and pairs of braces; one pass, so that no nesting costs more. */
function findClosers(chars: readonly string[]): Map<number, number> {
  const closers = new Map<number, number>()
  const open: number[] = []
  const lastBracket = chars.lastIndexOf(']')
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]
    if (char === '\\') at++
    else if (char === '{') open.push(at)
    else if (char === '}' && open.length > 0) closers.set(open.pop()!, at)
    else if (char === '[' && at < lastBracket) {
      const first = chars[at + 1] === '!' || chars[at + 1] === '^' ? at + 2 : at + 1
      // NOTE: a closing bracket that comes first is a member, as in every shell.
      const end = chars.indexOf(']', first + 1)
      if (end > 0) closers.set(at, end)
      if (end > 0) at = end
    }
  }
  return closers
}

function readClass(body: readonly string[]): CharacterClass {
  const isNegated = body[0] === '!' || body[0] === '^'
  const members = isNegated ? body.slice(1) : body
  const ranges: Range[] = []
  const codeOf = (at: number): number => members[at]!.codePointAt(0)!
  for (let at = 0; at < members.length; at++) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([codeOf(at), codeOf(isRange ? at + 2 : at)])
    if (isRange) at += 2
  }
  return { isNegated, ranges: merged(ranges) }
}

function merged(ranges: readonly Range[]): Range[] {
  const apart: [low: number, high: number][] = []
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1)
    if (low > high) continue
    if (last === undefined || last[1] < low) apart.push([low, high])
    else last[1] = Math.max(last[1], high)
  }
  return apart
}
