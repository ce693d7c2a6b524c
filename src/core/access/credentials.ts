import type { RequestClient } from '../platform/request-source.ts'
import type { SignableRequest } from '../platform/http/signature.ts'
import type { Viewer } from './viewer.ts'

/** What a caller sent to prove who it is, not yet believed. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string; readonly via: 'header' | 'query' }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string; readonly otp: string | undefined }
  | { readonly kind: 'signature'; readonly request: SignableRequest }
  | ({ readonly kind: 'proxy' } & ProxyAccount)

/** The account that a reverse proxy has signed in; e-mail and full name are empty when it does not send them. */
export interface ProxyAccount {
  readonly name: string
  readonly email: string
  readonly fullName: string
}

/** Who sent the credentials. Throws unauthenticated when they are wrong, too-many-requests after many wrong ones. */
export type Authenticate = (credentials: Credentials, client: RequestClient) => Promise<Viewer>

const OTP_HEADERS = ['x-forge-otp', 'x-ingot-otp', 'x-forgejo-otp', 'x-gitea-otp']

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Reads the Authorization header: `token T`, `Bearer T` or `Basic`, schemes without regard to case. Anything else,
 * broken Basic included, counts as no credentials (behaviour/auth-and-access#authentication-methods).
 */
export function parseAuthorization(headers: Headers): Credentials {
  const parts = one(headers['authorization'])?.trim().split(/\s+/) ?? []
  const [scheme, value] = parts
  if (parts.length !== 2 || scheme === undefined || value === undefined) return { kind: 'none' }
  switch (scheme.toLowerCase()) {
    case 'token':
    case 'bearer':
      return { kind: 'token', token: value, via: 'header' }
    case 'basic':
      return parseBasic(value, headers)
    default:
      return { kind: 'none' }
  }
}

function parseBasic(encoded: string, headers: Headers): Credentials {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return { kind: 'none' }
  // NOTE: no name or password contains a NUL, and PostgreSQL accepts none.
  const text = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '\ufffd')
  const colon = text.indexOf(':')
  if (colon < 0) return { kind: 'none' }
  const otp = OTP_HEADERS.map((name) => one(headers[name])).find((code) => code !== undefined && code !== '')
  return { kind: 'basic', user: text.slice(0, colon), password: text.slice(colon + 1), otp }
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
