import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import { falsy } from '@actions/expressions/result'
import { type Contexts, MAX_LENGTH } from './expressions.ts'
import { isMembers, scalarText } from './problem.ts'

const WHOLE = /^\s*\$\{\{((?:(?!\$\{\{|\}\}).)*)\}\}\s*$/s
const STATUS = /\b(?:success|failure|always|cancelled)\s*\(/i

/**
 * Whether the `if` of a job is false in the given contexts, with `needs` when those jobs have ended. Returns false if
 * it uses another context, which only the runner knows. Runs in a child process.
 */
export function isFalse(condition: unknown, { github, ...others }: Contexts): boolean {
  const text = scalarText(condition) ?? ''
  const expression = WHOLE.exec(text)?.[1] ?? text
  if (expression.trim() === '' || expression.length > MAX_LENGTH) return false
  const contexts = { ...others, ...(github !== undefined && { github, gitea: github, forgejo: github }) }
  const results = isMembers(others['needs']) ? Object.values(others['needs']).map(resultOf) : undefined
  const functions = results === undefined ? [] : statusFunctions(results)
  try {
    const parsed = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), functions).parse()
    const values = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
    const byName = new Map(functions.map((one) => [one.name, one]))
    if (falsy(new Evaluator(parsed, values, byName).evaluate())) return true
    return results !== undefined && !STATUS.test(expression) && !results.every((result) => result === 'success')
  } catch {
    return false
  }
}

const resultOf = (need: unknown): unknown => (isMembers(need) ? need['result'] : undefined)

/** NOTE: the blocked jobs of a cancelled run are cancelled, so that none of them asks. */
function statusFunctions(results: readonly unknown[]) {
  const values = {
    always: true,
    cancelled: false,
    failure: results.includes('failure'),
    success: results.every((result) => result === 'success'),
  }
  return Object.entries(values).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }))
}
