import { ALL_SCOPES, formatScopes, parseScopes, type ScopeSet } from '../../../core/access/viewer.ts'

/**
 * Whether a redirect address is one of those registered: compared without regard to case and to one slash at the end;
 * for public clients the port of a loopback address does not count, because they take a free one (RFC 8252 §7.3).
 */
export function isRegisteredRedirect(registered: readonly string[], given: string, isConfidential: boolean): boolean {
  if (given === '') return false
  const wanted = [normal(given), ...(isConfidential ? [] : [withoutLoopbackPort(given)])]
  return registered.some(
    (uri) => wanted.includes(normal(uri)) || (!isConfidential && wanted.includes(withoutLoopbackPort(uri))),
  )
}

/** Whether a client names the same redirect address at the exchange as when it asked for the code. */
export const isSameRedirect = (asked: string, given: string, isConfidential: boolean): boolean =>
  asked === given || (!isConfidential && isLoopback(asked) && withoutLoopbackPort(asked) === withoutLoopbackPort(given))

const normal = (uri: string): string => uri.toLowerCase().replace(/\/$/, '')

/** By address, not by name: `localhost` may be resolved to another machine. */
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

/** Where a browser must not be sent: addresses that are run or shown, not visited. */
export function isSafeRedirect(uri: string): boolean {
  const url = URL.parse(uri)
  return url !== null && !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'].includes(url.protocol)
}

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
