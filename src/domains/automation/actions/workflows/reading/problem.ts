/** The position of a problem in a workflow: the keys that lead to it. */
export type Path = readonly (string | number)[]

/** A workflow that cannot be used, with the place and the reason. */
export class WorkflowProblem extends Error {
  readonly path: Path

  constructor(path: Path, message: string) {
    super(message)
    this.name = 'WorkflowProblem'
    this.path = path
  }
}

export type Members = Readonly<Record<string, unknown>>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names are shown in lists, statuses and logs: no control characters, at most 255 characters. */
export const nameText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .trim()
        .slice(0, 255)
        .toWellFormed()
    : ''

/** A text or a list of texts and numbers; throws for any other value. */
export function readWords(value: unknown, path: Path): readonly string[] {
  if (value === undefined || value === null) return []
  const words: unknown[] = Array.isArray(value) ? value : [value]
  if (words.length > 256) throw new WorkflowProblem(path, 'has more than 256 entries')
  return words.map((word, index) => {
    const text = scalarText(word)
    if (text === undefined) throw new WorkflowProblem([...path, index], 'must be a text')
    if (text.length > 1024) throw new WorkflowProblem([...path, index], 'has more than 1024 characters')
    return text.trim()
  })
}

export const scalarText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
