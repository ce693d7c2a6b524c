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
