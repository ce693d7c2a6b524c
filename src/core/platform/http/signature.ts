import { createHash } from 'node:crypto'

/** A request as far as a signature can cover it. */
export interface SignableRequest {
  readonly method: string
  /** Path and query as the client sent them. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The content of a `Signature` header (draft-cavage-http-signatures-12 §2.1), not verified yet. */
export interface HttpSignature {
  readonly keyId: string
  readonly signature: Buffer
  /** The signed headers, names in lower case. */
  readonly covered: readonly string[]
  /** Seconds since the epoch. */
  readonly created: number | undefined
  readonly expires: number | undefined
}

const PARAMETER = /\s*([A-Za-z]+)=(?:"([^"]*)"|(\d{1,15}))\s*(?:,|$)/y
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const MAX_COVERED = 32

/** Undefined for any other header. Its algorithm is ignored: the key determines the possible ones. */
export function parseHttpSignature(header: string): HttpSignature | undefined {
  const parameters = readParameters(header)
  const keyId = parameters?.get('keyId')
  const signature = parameters?.get('signature')
  if (parameters === undefined || !keyId || signature === undefined || !BASE64.test(signature)) return undefined
  const covered = (parameters.get('headers') ?? '(created)').toLowerCase().split(' ')
  if (covered.length > MAX_COVERED || new Set(covered).size !== covered.length) return undefined
  const [created, expires] = [parameters.get('created'), parameters.get('expires')].map((text) =>
    text === undefined ? undefined : Number(text),
  )
  if (Number.isNaN(created) || Number.isNaN(expires)) return undefined
  return { keyId, signature: Buffer.from(signature, 'base64'), covered, created, expires }
}

function readParameters(header: string): Map<string, string> | undefined {
  const found = new Map<string, string>()
  PARAMETER.lastIndex = 0
  while (PARAMETER.lastIndex < header.length) {
    const [, name, quoted, number] = PARAMETER.exec(header) ?? []
    if (name === undefined || found.has(name)) return undefined
    found.set(name, quoted ?? number ?? '')
  }
  return found
}

/** The text that is signed (§2.3); undefined when something is said to be covered that the request does not have. */
export function signedText({ covered, created, expires }: HttpSignature, request: SignableRequest): string | undefined {
  const lines: string[] = []
  for (const name of covered) {
    const value = valueOf(name, request, { created, expires })
    if (value === undefined) return undefined
    lines.push(`${name}: ${value}`)
  }
  return lines.join('\n')
}

function valueOf(
  name: string,
  request: SignableRequest,
  times: { readonly created: number | undefined; readonly expires: number | undefined },
): string | undefined {
  if (name === '(request-target)') return `${request.method.toLowerCase()} ${request.target}`
  if (name === '(created)') return times.created?.toString()
  if (name === '(expires)') return times.expires?.toString()
  const value = request.headers[name]
  return Array.isArray(value) ? value.map((part) => part.trim()).join(', ') : value?.trim()
}

export interface TimeRules {
  /** Seconds since the epoch. */
  readonly now: number
  /** Seconds for which a signature is accepted after its creation. */
  readonly maxAge: number
  /** Seconds that the clock of a client may be ahead. */
  readonly skew: number
}

/** Whether a signature is limited to the present time: by `(created)`, or by a `date` header that is covered. */
export function isTimely(
  signature: HttpSignature,
  { headers }: SignableRequest,
  { now, maxAge, skew }: TimeRules,
): boolean {
  const date = signature.covered.includes('date') ? Date.parse(String(headers['date'])) / 1000 : Number.NaN
  const made = signature.covered.includes('(created)') ? signature.created : date
  if (made === undefined || !(made <= now + skew && made > now - maxAge)) return false
  return signature.expires === undefined || signature.expires > now
}

const DIGESTS: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' }

/**
 * The hashes of a body that a `Digest` header names (RFC 3230), by the names of node:crypto; empty when none can be
 * checked.
 */
export function parseDigest(header: string | string[] | undefined): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  for (const part of String(header ?? '').split(',')) {
    const [, name = '', value = ''] = /^\s*([A-Za-z0-9-]+)=(\S+)\s*$/.exec(part) ?? []
    const hash = DIGESTS[name.toLowerCase()]
    if (hash !== undefined) found.set(hash, Buffer.from(value, 'base64'))
  }
  return found
}

/** True when the header contains at least one hash, and all are those of the body. */
export function isDigestOf(digests: ReadonlyMap<string, Buffer>, body: Uint8Array): boolean {
  return (
    digests.size > 0 && [...digests].every(([hash, digest]) => createHash(hash).update(body).digest().equals(digest))
  )
}
