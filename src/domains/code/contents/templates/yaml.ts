import { isScalar, parseDocument, visit } from 'yaml'

/** The result for a text that is not a YAML document. */
export const NO_YAML = Symbol('no YAML')

const MAX_ALIASES = 20

/**
 * The value of a YAML document. NOTE: error messages with source lines and the check for duplicate keys would take the
 * library quadratic time.
 */
export function parseYaml(text: string): unknown {
  try {
    const document = parseDocument(text, { logLevel: 'error', prettyErrors: false, uniqueKeys: false })
    if (document.errors.length > 0) return NO_YAML
    let isTwice = false
    visit(document, {
      Map(_, { items }) {
        const keys = new Set<unknown>(items.map(({ key }) => (isScalar(key) ? key.value : key)))
        isTwice ||= keys.size < items.length
        return isTwice ? visit.BREAK : undefined
      },
    })
    return isTwice ? NO_YAML : (document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown)
  } catch {
    return NO_YAML
  }
}

/** Reads YAML that users wrote. */
export const yaml = {
  none: NO_YAML,
  parse: parseYaml,
} as const
