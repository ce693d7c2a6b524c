import { ALL_SCOPES, formatScopes, parseScopes, type ScopeSet } from '../../../core/access/viewer.ts'

/**
 * Whether a redirect address is registered. The comparison ignores case, one slash at the end, and, for public clients,
 * the port of a loopback address, because they use any free port (RFC 8252 §7.3).
 */
export function isRegisteredRedirect(registered: readonly string[], given: string, isConfidential: boolean): boolean {
  if (given === '') return false
  const wanted = [normal(given), ...(isConfidential ? [] : [withoutLoopbackPort(given)])]
  return registered.some(
    (uri) => wanted.includes(normal(uri)) || (!isConfidential && wanted.includes(withoutLoopbackPort(uri))),
  )
}

/** Whether the redirect address of the exchange is the one of the authorization request. */
export const isSameRedirect = (asked: string, given: string, isConfidential: boolean): boolean =>
  asked === given || (!isConfidential && isLoopback(asked) && withoutLoopbackPort(asked) === withoutLoopbackPort(given))

const normal = (uri: string): string => uri.toLowerCase().replace(/\/$/, '')

/** Accepts IP addresses only: `localhost` may be resolved to another machine. */
function isLoopback(uri: string): boolean {
  const url = URL.parse(uri)
  if (url === null || url.protocol !== 'http:' || url.username !== '' || url.password !== '') return false
  return url.hostname === '127.0.0.1' || url.hostname === '[::1]'
}

function withoutLoopbackPort(uri: string): string {
  if (!isLoopback(uri)) return normal(uri)
  const url = new URL(uri)
  url.port = ''
  return normal(url.href)
}

/** Rejects addresses with schemes that a browser would run or display instead of visiting. */
export function isSafeRedirect(uri: string): boolean {
  const url = URL.parse(uri)
  return url !== null && !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'].includes(url.protocol)
}

const IDENTITY = new Set(['openid', 'profile', 'email', 'groups'])

/**
 * The API scopes of a grant's tokens. COMPAT: a grant with only identity scopes, no scope, or an unknown scope allows
 * everything, for clients that predate scopes (behaviour/auth-and-access#granular-scopes;
 * test/accounts/oauth/oauth.test.ts).
 */
export function scopesOfGrant(scope: string): ScopeSet {
  const names = scope.split(/[\s,]+/).filter((name) => name !== '' && !IDENTITY.has(name))
  if (names.length === 0) return ALL_SCOPES
  const parsed = parseScopes(names)
  return parsed.ok ? parsed.scopes : ALL_SCOPES
}

export const scopeNames = (scope: string): Set<string> => new Set(scope.split(/\s+/).filter((name) => name !== ''))

/** Describes a grant for the consent page. */
export function describeGrant(scope: string): {
  readonly api: readonly string[]
  readonly identity: readonly string[]
} {
  return {
    api: formatScopes(scopesOfGrant(scope)),
    identity: [...scopeNames(scope)].filter((name) => IDENTITY.has(name)),
  }
}
