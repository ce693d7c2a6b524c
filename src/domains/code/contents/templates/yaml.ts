import { type Document, isNode, isScalar, parseDocument, visit } from 'yaml'

/** The result for a text that is not a YAML document. */
export const NO_YAML = Symbol('no YAML')

const MAX_ALIASES = 20

/** A YAML document with its positions, or its errors; lines count from 1. */
type ReadYaml =
  | { readonly value: unknown; lineOf(path: readonly (string | number)[]): number }
  | { readonly line: number; readonly reason: string }

/**
 * Reads a YAML document. NOTE: error messages with source lines and the check for duplicate keys would take the library
 * quadratic time.
 */
function readYaml(text: string): ReadYaml {
  try {
    const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, uniqueKeys: false })
    const [error] = document.errors
    if (error !== undefined) return { line: lineAt(text, error.pos[0]), reason: error.message }
    let twice: number | undefined
    visit(document, {
      Map(_, { items, range }) {
        const keys = new Set<unknown>(items.map(({ key }) => (isScalar(key) ? key.value : key)))
        if (keys.size < items.length) twice = range?.[0] ?? 0
        return twice === undefined ? undefined : visit.BREAK
      },
    })
    if (twice !== undefined) return { line: lineAt(text, twice), reason: 'a key is there twice' }
    const lineOf = (path: readonly (string | number)[]): number => lineAt(text, placeOf(document, path))
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, lineOf }
  } catch (error) {
    return { line: 0, reason: (error as Error).message }
  }
}

/** The offset of the value at a path, or of the nearest value around it. */
function placeOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** The value of a YAML document. */
export function parseYaml(text: string): unknown {
  const read = readYaml(text)
  return 'value' in read ? read.value : NO_YAML
}

/** Reads YAML that users wrote. */
export const yaml = {
  none: NO_YAML,
  parse: parseYaml,
  read: readYaml,
} as const
