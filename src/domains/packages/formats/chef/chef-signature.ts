import { hash } from 'node:crypto'
import type { SignedText } from '../../../../core/access/viewer.ts'
import type { SignableRequest } from '../../../../core/platform/http/signature.ts'

/** The headers of a signed request, not yet verified. */
interface ChefHeaders {
  readonly version: string
  readonly user: string
  readonly timestamp: string
  /** Base64 of the hash of the file that is sent, or of the body. */
  readonly contentHash: string
  readonly signature: string
}

const MAX_PARTS = 30
const MAX_AGE_MS = 15 * 60_000

/** Undefined for a request without signature. */
function readHeaders({ headers }: Pick<SignableRequest, 'headers'>): ChefHeaders | undefined {
  const header = (name: string): string => String(headers[`x-ops-${name}`] ?? '')
  const version = /(?:^|;)\s*version=(1\.[0-3])\s*(?:;|$)/.exec(header('sign'))?.[1]
  if (version === undefined) return undefined
  let signature = ''
  for (let part = 1; part <= MAX_PARTS; part++) signature += header(`authorization-${part}`).trim()
  return {
    version,
    user: header('userid'),
    timestamp: header('timestamp'),
    contentHash: header('content-hash'),
    signature,
  }
}

/**
 * The signature of a request by the authentication protocol of Chef, versions 1.0 to 1.3 (mixlib-authentication).
 * Undefined without one; one that is not of these minutes is of no text, so that it is refused.
 */
export function signedTextOf(request: SignableRequest, now: number): SignedText | undefined {
  const sent = readHeaders(request)
  if (sent === undefined) return undefined
  const isTimely = Math.abs(Date.parse(sent.timestamp) - now) <= MAX_AGE_MS
  const hashes = { '1.2': 'sha1', '1.3': 'sha256' } as const
  return {
    user: sent.user,
    texts: isTimely ? textsOf(sent, request) : [],
    signature: Buffer.from(sent.signature, 'base64'),
    // Versions 1.0 and 1.1 encrypt the text itself.
    hash: hashes[sent.version as keyof typeof hashes],
  }
}

/** The texts that clients sign: they differ in the name of the user, and in a header that older ones do not send. */
function textsOf(sent: ChefHeaders, { method, target, headers }: SignableRequest): string[] {
  const path = target
    .split('?', 1)[0]!
    .replaceAll(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
  const times = [`X-Ops-Content-Hash:${sent.contentHash}`, `X-Ops-Timestamp:${sent.timestamp}`] as const
  const lines = (...more: string[]): string => [`Method:${method.toUpperCase()}`, ...more].join('\n')
  if (sent.version !== '1.3')
    return [sent.user, sha1(sent.user)].map((user) =>
      lines(`Hashed Path:${sha1(path)}`, ...times, `X-Ops-UserId:${user}`),
    )
  const api = headers['x-ops-server-api-version']
  return (api === undefined ? ['0', '1'] : [String(api)]).map((version) =>
    lines(
      `Path:${path}`,
      times[0],
      'X-Ops-Sign:version=1.3',
      times[1],
      `X-Ops-UserId:${sent.user}`,
      `X-Ops-Server-API-Version:${version}`,
    ),
  )
}

const sha1 = (text: string): string => hash('sha1', text, 'base64')

/** Whether a file is the one that a signed request names; true of a request without signature. */
export function isSignedContent(
  headers: SignableRequest['headers'],
  { sha1: sum, sha256 }: { readonly sha1: string; readonly sha256: string },
): boolean {
  const sent = readHeaders({ headers })
  if (sent === undefined) return true
  return Buffer.from(sent.version === '1.3' ? sha256 : sum, 'hex').toString('base64') === sent.contentHash.trim()
}
