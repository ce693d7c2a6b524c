import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface S3Keys {
  readonly id: string
  readonly secret: string
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** RFC 3986, as the signature process asks for it. */
const escape = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const MAX_SKEW_MS = 15 * 60_000
const UNSIGNED = 'UNSIGNED-PAYLOAD'
const ALGORITHM = 'AWS4-HMAC-SHA256'

interface Claim {
  readonly credential: string
  readonly signedHeaders: string
  readonly signature: string
  readonly date: string
  readonly payload: string
  readonly lifetimeMs: number
}

/**
 * Why a request is not signed as AWS Signature Version 4 asks for (Amazon S3 API reference, "Authenticating requests"),
 * by header or by query; undefined when it is. Bodies must be signed by their SHA-256.
 */
export function signatureFault(request: IncomingMessage, url: URL, body: Buffer, keys: S3Keys): string | undefined {
  const claim = url.searchParams.has('X-Amz-Signature') ? queryClaim(url) : headerClaim(request)
  if (claim === undefined) return 'AccessDenied'
  const names = claim.signedHeaders.split(';')
  const isUnsigned = (name: string): boolean => name.startsWith('x-amz-') && !names.includes(name)
  if (!names.includes('host') || Object.keys(request.headers).some(isUnsigned)) return 'AccessDenied'
  if (claim.payload === UNSIGNED && body.length > 0) return 'AccessDenied'
  if (claim.payload !== UNSIGNED && claim.payload !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  return credentialFault(claim, keys) ?? macFault(claim, canonicalForm(request, url, claim), keys)
}

function credentialFault({ credential, date, lifetimeMs }: Claim, keys: S3Keys): string | undefined {
  const [id, day, , service, end] = credential.split('/')
  if (id !== keys.id) return 'InvalidAccessKeyId'
  if (service !== 's3' || end !== 'aws4_request' || !date.startsWith(day!)) return 'AuthorizationHeaderMalformed'
  const age = Date.now() - timeOf(date)
  return age < -MAX_SKEW_MS || age > lifetimeMs ? 'RequestTimeTooSkewed' : undefined
}

function canonicalForm(request: IncomingMessage, url: URL, { signedHeaders, payload }: Claim): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escape(name)}=${escape(value)}`)
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}`)
  return [request.method, url.pathname, query.toSorted().join('&'), ...headers, '', signedHeaders, payload].join('\n')
}

function macFault({ credential, date, signature }: Claim, canonical: string, keys: S3Keys): string | undefined {
  const scope = credential.split('/').slice(1)
  const text = [ALGORITHM, date, scope.join('/'), sha256(canonical)].join('\n')
  const expected = hmac(scope.reduce<string | Buffer>(hmac, `AWS4${keys.secret}`), text)
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected) ? undefined : 'SignatureDoesNotMatch'
}

/** `20260131T120000Z` in epoch milliseconds. */
const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

function headerClaim({ headers }: IncomingMessage): Claim | undefined {
  const match = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  )
  const date = headers['x-amz-date']
  const payload = headers['x-amz-content-sha256']
  if (!match || typeof date !== 'string' || typeof payload !== 'string') return undefined
  const [, credential, signedHeaders, signature] = match as unknown as [string, string, string, string]
  return { credential, signedHeaders, signature, date, payload, lifetimeMs: MAX_SKEW_MS }
}

function queryClaim({ searchParams }: URL): Claim {
  const read = (name: string): string => searchParams.get(`X-Amz-${name}`) ?? ''
  return {
    credential: read('Credential'),
    signedHeaders: read('SignedHeaders'),
    signature: read('Signature'),
    date: read('Date'),
    payload: UNSIGNED,
    lifetimeMs: Number(read('Expires')) * 1000,
  }
}
