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

const normal = (uri: string): string => uri.toLowerCase().replace(/\/$/, '')

function withoutLoopbackPort(uri: string): string {
  const url = URL.parse(uri)
  if (url === null || url.protocol !== 'http:' || url.username !== '' || url.password !== '') return normal(uri)
  if (url.hostname !== '127.0.0.1' && url.hostname !== '[::1]') return normal(uri)
  url.port = ''
  return normal(url.href)
}

/** Where a browser must not be sent: addresses that are run or shown, not visited. */
export function isSafeRedirect(uri: string): boolean {
  const url = URL.parse(uri)
  return url !== null && !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'].includes(url.protocol)
}
