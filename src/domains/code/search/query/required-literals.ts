const META = new Set('.^$*+?()[]{}|\\')

/**
 * Texts that every match of an RE2 expression contains, in either case; none where that is not clear. Looks at the top
 * level alone: groups and classes end a text, and an alternative at the top level means none.
 */
export function requiredLiterals(source: string): string[] {
  const characters = [...source]
  const found: string[] = []
  let run: string[] = []
  const end = (): void => {
    if (run.length > 0) found.push(run.join(''))
    run = []
  }
  for (let at = 0; at < characters.length;) {
    const character = characters[at]!
    if (character === '|') return []
    if (character === '\\') {
      const escaped = characters[at + 1] ?? ''
      if (/[\dQ]/.test(escaped)) return []
      if (/[a-z]/i.test(escaped)) end()
      else run.push(escaped)
      at = afterEscape(characters, at)
    } else if (character === '*' || character === '?' || character === '{') {
      run.pop()
      end()
      at = character === '{' ? after(characters, at, '}') : at + 1
    } else if (META.has(character)) {
      end()
      at = character === '[' ? afterClass(characters, at) : character === '(' ? afterGroup(characters, at) : at + 1
    } else {
      run.push(character)
      at++
    }
  }
  end()
  return found
}

/** The index behind the next `close`; the end where there is none. */
function after(characters: readonly string[], at: number, close: string): number {
  const found = characters.indexOf(close, at)
  return found === -1 ? characters.length : found + 1
}

/** `\x{41}` and `\p{Greek}` have braces, `\x41` two digits, `\pN` a letter. */
function afterEscape(characters: readonly string[], at: number): number {
  const kind = characters[at + 1] ?? ''
  if (kind !== 'x' && kind !== 'p' && kind !== 'P') return at + 2
  if (characters[at + 2] === '{') return after(characters, at, '}')
  return at + (kind === 'x' ? 4 : 3)
}

/** NOTE: `]` is an ordinary character at the begin of a class. */
function afterClass(characters: readonly string[], at: number): number {
  let index = at + (characters[at + 1] === '^' ? 2 : 1)
  if (characters[index] === ']') index++
  while (index < characters.length && characters[index] !== ']') {
    // A named class, such as [:alpha:].
    if (characters[index] === '[' && characters[index + 1] === ':') index = after(characters, index, ']')
    else index = characters[index] === '\\' ? afterEscape(characters, index) : index + 1
  }
  return index + 1
}

function afterGroup(characters: readonly string[], at: number): number {
  let depth = 0
  let index = at
  while (index < characters.length) {
    const character = characters[index]
    if (character === '\\') {
      index = afterEscape(characters, index)
      continue
    }
    if (character === '[') {
      index = afterClass(characters, index)
      continue
    }
    if (character === '(') depth++
    index++
    if (character === ')' && --depth === 0) return index
  }
  return index
}
