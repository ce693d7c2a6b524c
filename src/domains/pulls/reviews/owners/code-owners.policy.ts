/** Rules that count: the first ones. */
const MAX_RULES = 1000
/** Characters of a pattern: a longer one is no rule. */
const MAX_PATTERN = 1000
/** Owners of a rule that count: the first ones. */
const MAX_OWNERS = 100

/** Names as the file has them: nobody may have them. */
interface Owners {
  readonly users: readonly string[]
  readonly teams: readonly TeamName[]
}

interface TeamName {
  readonly org: string
  readonly team: string
}

/** A line of a CODEOWNERS file. */
export interface OwnerRule extends Owners {
  /** A regular expression for the whole path. */
  readonly pattern: string
  /** The owners are those of the files that the expression does not match. */
  readonly isNegated: boolean
}

/**
 * Reads a CODEOWNERS file in time linear in its length (behaviour/pull-requests#code-owners). Lines without a pattern
 * or an owner are no rules.
 */
export function parseCodeOwners(text: string): OwnerRule[] {
  const rules: OwnerRule[] = []
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (rules.length === MAX_RULES) break
    const rule = readRule(line)
    if (rule !== undefined) rules.push(rule)
  }
  return rules
}

function readRule(line: string): OwnerRule | undefined {
  const [first, ...names] = splitWords(line)
  if (first === undefined) return undefined
  const isNegated = first.startsWith('!')
  const source = (isNegated ? first.slice(1) : first).replace(/^\//, '')
  if (source === '' || source.length > MAX_PATTERN) return undefined
  const owners = readOwners(names.slice(0, MAX_OWNERS))
  if (owners.users.length + owners.teams.length === 0) return undefined
  return { pattern: `^(?:${source})$`, isNegated, ...owners }
}

/**
 * The words of a line up to its comment. A backslash makes a blank or `#` a part of the word; before any other
 * character it belongs to the expression.
 */
function splitWords(line: string): string[] {
  const words: string[] = []
  let word = ''
  for (let at = 0; at < line.length && line[at] !== '#'; at++) {
    const [here, next] = [line[at]!, line[at + 1]]
    if (isBlank(here)) {
      if (word !== '') words.push(word)
      word = ''
    } else if (here === '\\' && next !== undefined) {
      word += isBlank(next) || next === '#' ? next : here + next
      at++
    } else word += here
  }
  return word === '' ? words : [...words, word]
}

const isBlank = (character: string): boolean => character === ' ' || character === '\t' || character === '\uFEFF'

/** Words that name neither a user nor a team are ignored. */
function readOwners(words: readonly string[]): Owners {
  const users: string[] = []
  const teams: TeamName[] = []
  for (const word of words) {
    const [owner, team, ...rest] = word.slice(1).split('/')
    if (!word.startsWith('@') || !owner || rest.length > 0) continue
    if (team === undefined) users.push(owner)
    else if (team !== '') teams.push({ org: owner, team })
  }
  return { users, teams }
}
