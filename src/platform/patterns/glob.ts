/** A text that either matches or does not. */
export type Matcher = (text: string) => boolean

interface State {
  /** The character that leads on to `next`. */
  readonly test: ((char: string) => boolean) | undefined
  next: number
  /** Where one may stand as well without a character. */
  readonly also: number[]
}

const GLOB_CHARACTERS = /[*?[\]{}\\]/

/** A name without any of these characters is plain: it means itself. */
export const isGlob = (pattern: string): boolean => GLOB_CHARACTERS.test(pattern)

/**
 * `*` and `?` stop at the separators, `**` does not; `[a-z]`, `[!a-z]` and `[^a-z]` are one character; `{a,b}` is
 * either; a backslash takes the next character literally. What is not closed stands for itself, so every text is a
 * pattern. Matching takes time linear in the text: all ways are followed at once and none is tried again.
 */
export function compileGlob(pattern: string, separators = ''): Matcher {
  const compiler = new GlobCompiler([...pattern], separators)
  const end = compiler.compile()
  return (text) => run(compiler.states, end, text)
}

class GlobCompiler {
  readonly states: State[] = []
  readonly #chars: readonly string[]
  readonly #closers: ReadonlyMap<number, number>
  readonly #inside: (char: string) => boolean

  constructor(chars: readonly string[], separators: string) {
    this.#chars = chars
    this.#closers = findClosers(chars)
    this.#inside = (char) => !separators.includes(char)
  }

  /** Gives the state in which a text has matched; the first state is where it begins. */
  compile(): number {
    return this.#sequence(0, this.#chars.length, this.#add())
  }

  #add(test?: State['test']): number {
    return this.states.push({ test, next: -1, also: [] }) - 1
  }

  /**
   * Adds states for the characters `at` to `end`, starting in the state `from`; gives the state in which they are over.
   */
  #sequence(at: number, end: number, from: number): number {
    let state = from
    while (at < end) {
      const char = this.#chars[at]!
      const close = this.#closers.get(at)
      if (char === '*') {
        const crosses = at + 1 < end && this.#chars[at + 1] === '*'
        state = this.#loop(state, crosses ? () => true : this.#inside)
        while (at < end && this.#chars[at] === '*') at++
      } else if (close !== undefined) {
        state =
          char === '{'
            ? this.#alternatives(at, close, state)
            : this.#step(state, classTest(this.#chars.slice(at + 1, close), this.#inside))
        at = close + 1
      } else if (char === '?') {
        state = this.#step(state, this.#inside)
        at++
      } else {
        const isEscape = char === '\\' && at + 1 < end
        state = this.#literal(state, isEscape ? this.#chars[at + 1]! : char)
        at += isEscape ? 2 : 1
      }
    }
    return state
  }

  #step(from: number, test: NonNullable<State['test']>): number {
    const step = this.#add(test)
    const after = this.#add()
    this.states[from]!.also.push(step)
    this.states[step]!.next = after
    return after
  }

  #literal(from: number, wanted: string): number {
    return this.#step(from, (char) => char === wanted)
  }

  #loop(from: number, test: NonNullable<State['test']>): number {
    const loop = this.#add(test)
    const after = this.#add()
    this.states[from]!.also.push(after)
    this.states[after]!.also.push(loop)
    this.states[loop]!.next = after
    return after
  }

  #alternatives(open: number, close: number, from: number): number {
    const after = this.#add()
    let start = open + 1
    for (let at = start; at <= close; at++) {
      if (at < close && this.#chars[at] !== ',') {
        at = this.#chars[at] === '\\' ? at + 1 : (this.#closers.get(at) ?? at)
        continue
      }
      const branch = this.#add()
      this.states[from]!.also.push(branch)
      this.states[this.#sequence(start, at, branch)]!.also.push(after)
      start = at + 1
    }
    return after
  }
}

/** Where each class and each pair of braces ends; one pass, so that no nesting costs more. */
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

/** NOTE: a class matches a separator only where it names it, never by what it leaves out. */
function classTest(body: readonly string[], inside: (char: string) => boolean): (char: string) => boolean {
  const negated = body[0] === '!' || body[0] === '^'
  const members = negated ? body.slice(1) : body
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([members[at]!, isRange ? members[at + 2]! : members[at]!])
    if (isRange) at += 2
  }
  const isMember = (char: string): boolean => ranges.some(([low, high]) => char >= low && char <= high)
  return negated ? (char) => inside(char) && !isMember(char) : isMember
}

function run(states: readonly State[], end: number, text: string): boolean {
  let here = reach(states, [0])
  for (const char of text) {
    const next: number[] = []
    for (const index of here) {
      const state = states[index]!
      if (state.test?.(char)) next.push(state.next)
    }
    if (next.length === 0) return false
    here = reach(states, next)
  }
  return here.has(end)
}

function reach(states: readonly State[], from: readonly number[]): Set<number> {
  const found = new Set(from)
  for (const index of found) for (const other of states[index]!.also) found.add(other)
  return found
}
