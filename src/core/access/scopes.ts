/** Categories of token scopes in the order of the normal form (behaviour/auth-and-access#scopes). */
export const SCOPE_CATEGORIES = [
  'activitypub',
  'admin',
  'misc',
  'notification',
  'organization',
  'package',
  'issue',
  'repository',
  'user',
] as const
export type ScopeCategory = (typeof SCOPE_CATEGORIES)[number]
export type ScopeLevel = 'read' | 'write'

export interface ScopeSet {
  readonly publicOnly: boolean
  readonly levels: ReadonlyMap<ScopeCategory, ScopeLevel>
}

const everything = new Map(SCOPE_CATEGORIES.map((category) => [category, 'write' as const]))

/** What a password allows. */
export const ALL_SCOPES: ScopeSet = { publicOnly: false, levels: everything }

export type ParsedScopes =
  { readonly ok: true; readonly scopes: ScopeSet } | { readonly ok: false; readonly wrong: string }

/** Entries may be comma-separated lists; empty pieces are skipped; names are case-sensitive. */
export function parseScopes(entries: readonly string[]): ParsedScopes {
  const levels = new Map<ScopeCategory, ScopeLevel>()
  let publicOnly = false
  for (const name of entries.flatMap((entry) => entry.split(',')).filter((piece) => piece !== '')) {
    if (name === 'public-only') publicOnly = true
    else if (name === 'all') for (const category of SCOPE_CATEGORIES) levels.set(category, 'write')
    else {
      const [level, category] = name.split(':') as [string, string | undefined]
      if ((level !== 'read' && level !== 'write') || !isCategory(category) || name.split(':').length !== 2)
        return { ok: false, wrong: name }
      if (level === 'write' || !levels.has(category)) levels.set(category, level)
    }
  }
  return { ok: true, scopes: { publicOnly, levels } }
}

/** The normal form: no duplicates, no implied entries, fixed order, `all` for everything. */
export function formatScopes(scopes: {
  readonly publicOnly: boolean
  readonly levels: ReadonlyMap<string, string>
}): string[] {
  const names = SCOPE_CATEGORIES.flatMap((category) => {
    const level = scopes.levels.get(category)
    return level === undefined ? [] : [`${level}:${category}`]
  })
  const full = SCOPE_CATEGORIES.every((category) => scopes.levels.get(category) === 'write')
  return [...(scopes.publicOnly ? ['public-only'] : []), ...(full ? ['all'] : names)]
}

/** The first required scope that is missing, or undefined when all are there. `write` includes `read`. */
export function missingScope(
  scopes: ScopeSet,
  level: ScopeLevel,
  categories: readonly ScopeCategory[],
): string | undefined {
  const missing = categories.find((category) => {
    const granted = scopes.levels.get(category)
    return granted === undefined || (level === 'write' && granted === 'read')
  })
  return missing === undefined ? undefined : `${level}:${missing}`
}

function isCategory(text: string | undefined): text is ScopeCategory {
  return SCOPE_CATEGORIES.includes(text as ScopeCategory)
}
