import { RE2JS } from 're2js'
import type { Filters } from './triggers.ts'

/** Facts with which the filters of a trigger are compared. */
export interface FilterFacts {
  /** The short name of the branch, or of the base branch; undefined for a tag, or when branches are no filter. */
  readonly branch?: string | undefined
  readonly tag?: string | undefined
  /** The changed paths; undefined when paths are no filter. */
  readonly paths?: readonly string[] | undefined
  /** The name of the workflow whose run is the event. */
  readonly workflow?: string | undefined
}

/**
 * Whether an event passes the filters of a trigger: all given ones, but either of branches and tags
 * (behaviour/actions#from-event-to-jobs). Runs in a child process.
 */
export function passesFilters(filters: Filters, { branch, tag, paths, workflow }: FilterFacts): boolean {
  const hasBranches = 'branches' in filters || 'branches-ignore' in filters
  const hasTags = 'tags' in filters || 'tags-ignore' in filters
  if (tag !== undefined && !(hasTags ? passesName(filters.tags, filters['tags-ignore'], tag) : !hasBranches))
    return false
  if (
    branch !== undefined &&
    !(hasBranches ? passesName(filters.branches, filters['branches-ignore'], branch) : !hasTags)
  )
    return false
  if (workflow !== undefined && !passesName(filters.workflows, undefined, workflow)) return false
  if (paths === undefined) return true
  const [wanted, ignored] = [filters.paths, filters['paths-ignore']].map((list) => list && compilePatterns(list))
  return (!wanted || paths.some(wanted)) && (!ignored || paths.some((path) => !ignored(path)))
}

const passesName = (
  wanted: readonly string[] | undefined,
  ignored: readonly string[] | undefined,
  name: string,
): boolean => (!wanted || compilePatterns(wanted)(name)) && (!ignored || !compilePatterns(ignored)(name))

/** The last pattern that matches decides; one that begins with `!` excludes. */
function compilePatterns(patterns: readonly string[]): (text: string) => boolean {
  const compiled = patterns.map((pattern) => {
    const isNegative = pattern.startsWith('!')
    return { isNegative, matches: compilePattern(isNegative ? pattern.slice(1) : pattern) }
  })
  return (text) => {
    const last = compiled.findLast(({ matches }) => matches(text))
    return last !== undefined && !last.isNegative
  }
}

const PARTS = /\\[\s\S]|\*\*\/?|[*?+]|\[[^\]]+\]|[^*?+\\[]+|[\s\S]/g

/** A pattern of GitHub: `*` does not match `/`, `?` and `+` repeat the character before, `[…]` is one of several. */
function compilePattern(pattern: string): (text: string) => boolean {
  const source = (pattern.match(PARTS) ?? []).map((part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?' || part === '+' || (part.startsWith('[') && part.length > 2)) return part
    return literal(part.length === 2 && part.startsWith('\\') ? part.slice(1) : part)
  })
  try {
    const compiled = RE2JS.compile(`(?s)^(?:${source.join('')})$`)
    return (text) => compiled.matcher(text).find()
  } catch {
    return (text) => text === pattern
  }
}

const literal = (text: string): string => RE2JS.quote(text)
