import { unavailable } from '../../../core/platform/errors.ts'
import { members, parseJson, textOf } from '../../../core/platform/json-members.ts'
import type { OutgoingClient, OutgoingHead } from '../../../core/platform/outgoing/index.ts'

const MAX_CHALLENGE = 4096
const MAX_TOKEN = 16 * 1024
const TIMEOUT_MS = 30_000

/**
 * The address of the token that a registry demands of a client (docker token authentication); undefined for another
 * answer. Servers that the registry redirects to cannot demand one.
 */
export function tokenAddressOf({ status, headers, url }: OutgoingHead, root: string): URL | undefined {
  const challenge = (headers['www-authenticate'] ?? '').slice(0, MAX_CHALLENGE)
  if (status !== 401 || !isSameServer(url, root) || !/\bbearer /i.test(challenge)) return undefined
  const found = challenge.slice(challenge.search(/\bbearer /i)).matchAll(/\b(realm|service|scope)="([^"]*)"/g)
  const { realm = '', ...query } = Object.fromEntries(Array.from(found, ([, name, value]) => [name!, value!]))
  const address = URL.parse(realm)
  if (address === null || !/^https?:$/.test(address.protocol) || address.username !== '' || address.password !== '')
    return undefined
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address
}

/** Whether credentials for a registry may be sent to the server of tokens that it names. */
export const mayHaveCredentials = (address: URL, root: string): boolean =>
  isSameServer(address.href, root) || (address.protocol === 'https:' && new URL(root).protocol === 'https:')

/** Throws Unavailable without a token, and what the client throws. */
export async function fetchToken(
  client: OutgoingClient,
  address: URL,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  // Without redirects, because the credentials are for this server.
  const { status, body } = await client.request(address.href, { headers, timeout: TIMEOUT_MS })
  if (status !== 200) throw unavailable(`the token server of the upstream registry answered with status ${status}`)
  const { token, access_token: accessToken } = members(parseJson(body.toString('utf8'))?.value)
  const text = textOf(token, MAX_TOKEN) || textOf(accessToken, MAX_TOKEN)
  if (!/^[\x21-\x7e]+$/.test(text)) throw unavailable('the token server of the upstream registry sent no token')
  return text
}

const isSameServer = (url: string, other: string): boolean => new URL(url).origin === new URL(other).origin
