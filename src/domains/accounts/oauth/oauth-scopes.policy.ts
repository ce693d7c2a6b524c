import { ALL_SCOPES, formatScopes, parseScopes, type ScopeSet } from '../../../core/access/scopes.ts'

const IDENTITY = new Set(['openid', 'profile', 'email', 'groups'])

/**
 * What a grant lets its tokens do on the API. COMPAT: names of identity alone, none, or one that is unknown mean
 * everything, for clients from before scopes (behaviour/auth-and-access#granular-scopes; test/accounts/oauth/oauth.test.ts).
 */
export function scopesOfGrant(scope: string): ScopeSet {
  const names = scope.split(/[\s,]+/).filter((name) => name !== '' && !IDENTITY.has(name))
  if (names.length === 0) return ALL_SCOPES
  const parsed = parseScopes(names)
  return parsed.ok ? parsed.scopes : ALL_SCOPES
}

export const scopeNames = (scope: string): Set<string> => new Set(scope.split(/\s+/).filter((name) => name !== ''))

/** For the page on which users agree. */
export function describeGrant(scope: string): {
  readonly api: readonly string[]
  readonly identity: readonly string[]
} {
  return {
    api: formatScopes(scopesOfGrant(scope)),
    identity: [...scopeNames(scope)].filter((name) => IDENTITY.has(name)),
  }
}
