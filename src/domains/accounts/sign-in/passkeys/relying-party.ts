import { isIP } from 'node:net'

/** This server as browsers know it: a passkey works for one host name, at one origin. */
export interface RelyingParty {
  /** The host name. */
  readonly id: string
  readonly origin: string
}

/** Undefined where browsers have no passkeys: at IP addresses, and without HTTPS unless the host is `localhost`. */
export function findRelyingParty(rootUrl: string): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(rootUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if ((protocol !== 'https:' && !isLocal) || hostname.startsWith('[') || isIP(hostname) !== 0) return undefined
  return { id: hostname, origin }
}
