import { compileGlob } from '../../../../core/platform/patterns/glob.ts'
import {
  createMatchBudget,
  MAX_PATTERN_LENGTH,
  type MatchBudget,
} from '../../../../core/platform/patterns/match-budget.ts'

/** The properties of https://spec.editorconfig.org that apply to one file, by lower-case name. */
export type EditorProperties = Readonly<Record<string, string>>

const KNOWN = new Set([
  'charset',
  'indent_style',
  'indent_size',
  'tab_width',
  'end_of_line',
  'trim_trailing_whitespace',
  'insert_final_newline',
  'max_line_length',
])
const MAX_RANGE = 1000

/**
 * Later sections override earlier ones, until the match budget of one request is spent; `unset` deletes a property.
 * Lines that cannot be parsed are ignored, as the specification requires.
 */
export function readEditorConfig(text: string, path: string): EditorProperties {
  const properties: Record<string, string> = {}
  const budget = createMatchBudget()
  let applies = false
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim()
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue
    if (trimmed.startsWith('[') && trimmed.endsWith(']')) {
      applies = matchesSection(trimmed.slice(1, -1), path, budget)
      continue
    }
    const equals = trimmed.indexOf('=')
    if (!applies || equals <= 0) continue
    const name = trimmed.slice(0, equals).trim().toLowerCase()
    const value = trimmed
      .slice(equals + 1)
      .trim()
      .toLowerCase()
    if (!KNOWN.has(name)) continue
    if (value === 'unset') delete properties[name]
    else properties[name] = value
  }
  if (properties['indent_size'] === 'tab' && properties['tab_width'] !== undefined)
    properties['indent_size'] = properties['tab_width']
  return properties
}

/** A glob without a slash matches the file name in every directory, any other the path from the root. */
function matchesSection(glob: string, path: string, budget: MatchBudget): boolean {
  if (glob.length > MAX_PATTERN_LENGTH || budget.isSpent()) return false
  const pattern = expandRanges(glob.startsWith('/') ? glob.slice(1) : glob.includes('/') ? glob : `{**/,}${glob}`)
  return budget.spend(pattern, path) && compileGlob(pattern, '/')(path)
}

/** Replaces `{3..5}` by `{3,4,5}`. */
const expandRanges = (glob: string): string =>
  glob.replaceAll(/\{([+-]?\d{1,9})\.\.([+-]?\d{1,9})\}/g, (whole, from: string, to: string) => {
    const [low, high] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))]
    return high - low > MAX_RANGE ? whole : `{${Array.from({ length: high - low + 1 }, (_, i) => low + i).join(',')}}`
  })
