import { type GlobItems, isMember, parseGlob } from './glob-items.ts'

/** A text that either matches or does not. */
export type Matcher = (text: string) => boolean

const GLOB_CHARACTERS = /[*?[\]{}\\]/
/** Different characters of texts whose masks a matcher keeps. */
const MAX_MASKS = 128
const NONE: readonly number[] = []

/** A name without any of these characters is plain: it means itself. */
export const isGlob = (pattern: string): boolean => GLOB_CHARACTERS.test(pattern)

/**
 * `*` and `?` stop at the separators, `**` does not; `[a-z]`, `[!a-z]` and `[^a-z]` are one character; `{a,b}` is
 * either; a backslash takes the next character literally. An unclosed bracket or brace is literal, so every text is a
 * pattern. All ways to match are followed at once, as the bits of 32-bit words: time is linear in the text, and in the
 * pattern, of which one operation follows 32 characters.
 */
export function compileGlob(pattern: string, separators = ''): Matcher {
  if (!isGlob(pattern)) return (text) => text === pattern
  const automaton = new GlobAutomaton(parseGlob(pattern), separators)
  return (text) => automaton.matches(text)
}

/** Bit i of a set of positions is set when a text may stand before item i of the pattern. */
type Positions = Uint32Array<ArrayBuffer>

class GlobAutomaton {
  readonly #items: GlobItems
  readonly #separators: string
  /** Items that are `*` or `**`, which match any number of characters, also none. */
  readonly #loops: Positions
  /** Items that lead to others without a character. */
  readonly #jumps: Positions
  /** For each position, the positions in the same word that are reached without a character. */
  readonly #near: Positions
  /** For each item, the positions in other words that are reached without a character. */
  readonly #far: (readonly number[])[] = []
  readonly #farJumps: Positions
  readonly #across: Positions
  readonly #inside: Positions
  readonly #masks = new Map<string, Positions>()
  readonly #start: Positions

  constructor(items: GlobItems, separators: string) {
    this.#items = items
    this.#separators = separators
    this.#loops = this.#set([...items.stars, ...items.doubleStars])
    this.#jumps = this.#set(items.jumps.keys())
    this.#near = this.#nearOf()
    for (const [at, targets] of items.jumps) {
      const far = targets.filter((target) => wordOf(target) !== wordOf(at))
      if (far.length > 0) this.#far[at] = far
    }
    this.#farJumps = this.#set([...items.jumps.keys()].filter((at) => this.#far[at] !== undefined))
    this.#across = this.#set(items.doubleStars)
    this.#inside = this.#set([...items.stars, ...items.doubleStars, ...items.anyOne])
    this.#start = this.#set([0])
    this.#follow(this.#start)
  }

  matches(text: string): boolean {
    let here = this.#start.slice()
    let next = this.#set([])
    for (const char of text) {
      if (!advance(here, next, this.#mask(char), this.#loops)) return false
      this.#follow(next)
      ;[here, next] = [next, here]
    }
    return has(here, this.#items.length)
  }

  #set(positions: Iterable<number>): Positions {
    const made = new Uint32Array((this.#items.length >>> 5) + 1)
    for (const at of positions) made[wordOf(at)]! |= bitOf(at)
    return made
  }

  /** The items that take the character. */
  #mask(char: string): Positions {
    const known = this.#masks.get(char)
    if (known) return known
    const isSeparator = this.#separators.includes(char)
    const mask = (isSeparator ? this.#across : this.#inside).slice()
    for (const at of this.#items.literals.get(char) ?? NONE) mask[wordOf(at)]! |= bitOf(at)
    const code = char.codePointAt(0)!
    for (const [at, { isNegated, ranges }] of this.#items.classes) {
      const isNamed = isMember(ranges, code)
      // NOTE: a class matches a separator only if it contains it; a negated class never does.
      if (isNegated ? !isNamed && !isSeparator : isNamed) mask[wordOf(at)]! |= bitOf(at)
    }
    if (this.#masks.size < MAX_MASKS) this.#masks.set(char, mask)
    return mask
  }

  #nearOf(): Positions {
    const near = new Uint32Array(this.#items.length + 1)
    for (let at = this.#items.length; at >= 0; at--) {
      const targets = this.#items.jumps.get(at) ?? (has(this.#loops, at) ? [at + 1] : NONE)
      near[at] = bitOf(at)
      for (const target of targets) if (wordOf(target) === wordOf(at)) near[at]! |= near[target]!
    }
    return near
  }

  /**
   * Adds the positions that are reached without a character. All of them are further on in the pattern, so one pass
   * over the words finds them.
   */
  #follow(positions: Positions): void {
    let carry = 0
    for (let word = 0; word < positions.length; word++) {
      const loops = this.#loops[word]!
      const jumps = this.#jumps[word]!
      const farJumps = this.#farJumps[word]!
      let bits = positions[word]! | carry
      // NOTE: two stars are never side by side, so one shift is enough.
      bits |= (bits & loops) << 1
      let left = bits & jumps
      while (left !== 0) {
        const at = word * 32 + 31 - Math.clz32(left & -left)
        const near = this.#near[at]!
        const added = near & ~bits
        bits |= near
        left = (left | (added & jumps)) & ~(near & ~farJumps) & ~bitOf(at)
        if ((bitOf(at) & farJumps) !== 0)
          for (const target of this.#far[at]!) positions[wordOf(target)]! |= bitOf(target)
      }
      positions[word] = bits
      carry = (bits & loops) >>> 31
    }
  }
}

const wordOf = (at: number): number => at >>> 5
const bitOf = (at: number): number => 1 << (at & 31)

/** Sets `next` to the positions after a character; false when there are none. */
function advance(here: Positions, next: Positions, mask: Positions, loops: Positions): boolean {
  let carry = 0
  let some = 0
  for (let word = 0; word < here.length; word++) {
    const taken = here[word]! & mask[word]!
    const stays = taken & loops[word]!
    const moves = taken & ~loops[word]!
    const bits = (moves << 1) | carry | stays
    carry = moves >>> 31
    next[word] = bits
    some |= bits
  }
  return some !== 0
}

const has = (positions: Positions, at: number): boolean => (positions[wordOf(at)]! & bitOf(at)) !== 0
