import { data, Evaluator, type Expr, Lexer, Parser } from '@actions/expressions'
import { type Path, WorkflowProblem } from './problem.ts'

/** Values of expressions by the names of the contexts; a missing one is empty. */
export type Contexts = Readonly<Record<string, unknown>>

const CONTEXTS = ['github', 'inputs', 'vars', 'matrix', 'needs', 'strategy']
const NAMES = [...CONTEXTS, 'gitea', 'forgejo']
export const MAX_LENGTH = 21_000

type Part = string | { readonly expression: Expr }

/** Whether a value contains an expression. */
export const hasExpression = (value: unknown): boolean => JSON.stringify(value ?? '').includes('${{')

/** Evaluates values of a workflow. Runs in a child process: an expression may take any time and memory. */
export class Expressions {
  readonly #values: ReadonlyMap<string, data.ExpressionData>

  /** Contexts that are not given are those of `others`, or empty. */
  constructor(contexts: Contexts, others?: Expressions) {
    const toData = (name: string): data.ExpressionData =>
      name in contexts || others === undefined
        ? (JSON.parse(JSON.stringify(contexts[name] ?? {}), data.reviver) as data.ExpressionData)
        : others.#values.get(name)!
    this.#values = new Map(CONTEXTS.map((name) => [name, toData(name)]))
  }

  /** A value with its expressions replaced; a text that is one expression becomes the value of it. */
  value(template: unknown, path: Path): unknown {
    if (Array.isArray(template)) return template.map((item, index) => this.value(item, [...path, index]))
    if (typeof template === 'object' && template !== null)
      return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, this.value(item, [...path, key])]))
    if (typeof template !== 'string' || !template.includes('${{')) return template
    const parts = parseTemplate(template, path)
    try {
      const [first] = parts
      if (parts.length === 1 && typeof first === 'object') return fromData(this.#evaluate(first.expression))
      return parts
        .map((part) => (typeof part === 'string' ? part : this.#evaluate(part.expression).coerceString()))
        .join('')
    } catch (error) {
      throw new WorkflowProblem(path, `cannot be evaluated: ${(error as Error).message}`)
    }
  }

  #evaluate(expression: Expr): data.ExpressionData {
    const github = this.#values.get('github')!
    const values = [...this.#values, ['gitea', github] as const, ['forgejo', github] as const]
    return new Evaluator(expression, new data.Dictionary(...values.map(([key, value]) => ({ key, value })))).evaluate()
  }
}

/** Throws for an expression in the value that cannot be parsed. */
export function checkExpressions(value: unknown, path: Path): void {
  if (typeof value === 'string') parseTemplate(value, path)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) checkExpressions(item, [...path, key])
}

function parseTemplate(text: string, path: Path): Part[] {
  const parts: Part[] = []
  let at = 0
  for (let open = text.indexOf('${{'); open >= 0; open = text.indexOf('${{', at)) {
    if (open > at) parts.push(text.slice(at, open))
    const end = endOfExpression(text, open + 3)
    if (end < 0) throw new WorkflowProblem(path, 'has an expression without an end: ${{ needs }}')
    parts.push({ expression: parseExpression(text.slice(open + 3, end), path) })
    at = end + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}

/** The index of the next `}}` that is not in a quoted text; -1 if there is none. */
function endOfExpression(text: string, start: number): number {
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    if (text[at] === "'") isQuoted = !isQuoted
    else if (!isQuoted && text.startsWith('}}', at)) return at
  }
  return -1
}

function parseExpression(text: string, path: Path): Expr {
  if (text.length > MAX_LENGTH)
    throw new WorkflowProblem(path, `has an expression longer than ${MAX_LENGTH} characters`)
  if (text.trim() === '') throw new WorkflowProblem(path, 'has an empty expression')
  try {
    return new Parser(new Lexer(text).lex().tokens, NAMES, []).parse()
  } catch (error) {
    throw new WorkflowProblem(path, `has a wrong expression: ${(error as Error).message}`)
  }
}

function fromData(value: data.ExpressionData): unknown {
  if (value instanceof data.Array) return value.values().map(fromData)
  if (value instanceof data.Dictionary)
    return Object.fromEntries(value.pairs().map((pair) => [pair.key, fromData(pair.value)]))
  if (value instanceof data.NumberData || value instanceof data.BooleanData || value instanceof data.StringData)
    return value.value
  return null
}
