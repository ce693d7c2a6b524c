import { createHash, createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { framed } from '../../../src/core/platform/ssh/signature.ts'

/** A key with which a test signs requests as clients do. */
export interface RequestKey {
  readonly line: string
  readonly fingerprint: string
  /** Bare, as node:crypto makes it. */
  sign(text: string): Buffer
}

export interface Signing {
  readonly method?: string
  readonly body?: string
  /** Seconds since the epoch; null leaves it out. */
  readonly created?: number | null
  readonly expires?: number | null
  readonly covered?: readonly string[]
  readonly digest?: string
  readonly keyId?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Put between the signature and its text form. */
  frame?(signature: Buffer): Buffer
}

export const sha = (hash: 'SHA-256' | 'SHA-512', body: string): string =>
  `${hash}=${createHash(hash.replace('-', '')).update(body).digest('base64')}`

/** The headers of a request that is signed as draft-cavage-http-signatures-12 says. */
export function signRequest(key: RequestKey, path: string, now: number, signing: Signing = {}): Record<string, string> {
  const {
    method = 'GET',
    body,
    created = now,
    expires = created === null ? null : created + 10,
    keyId = key.fingerprint,
    frame = (bytes: Buffer) => bytes,
  } = signing
  const digest = signing.digest ?? (body === undefined ? undefined : sha('SHA-512', body))
  const headers: Record<string, string> = { ...signing.headers, ...(digest !== undefined && { digest }) }
  const times = Object.entries({ created, expires }).filter(([, at]) => at !== null)
  const covered = signing.covered ?? [
    '(request-target)',
    ...times.map(([name]) => `(${name})`),
    ...Object.keys(headers),
  ]
  const values: Record<string, string> = {
    ...headers,
    '(request-target)': `${method.toLowerCase()} ${path}`,
    '(created)': String(created),
    '(expires)': String(expires),
  }
  const text = covered.map((name) => `${name}: ${values[name]}`).join('\n')
  const parameters = [
    `keyId="${keyId}"`,
    'algorithm="hs2019"',
    ...times.map(([name, at]) => `${name}=${at}`),
    `headers="${covered.join(' ')}"`,
    `signature="${frame(key.sign(text)).toString('base64')}"`,
  ]
  return { ...headers, signature: parameters.join(',') }
}

export function ed25519Key(): RequestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const blob = Buffer.concat([
    framed('ssh-ed25519'),
    framed(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')),
  ])
  return keyOf('ssh-ed25519', blob, (text) => sign(null, Buffer.from(text), privateKey))
}

export function rsaKey(hash: 'sha1' | 'sha256' | 'sha512', bits = 3072): RequestKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const { e = '', n = '' } = publicKey.export({ format: 'jwk' })
  const blob = Buffer.concat([
    framed('ssh-rsa'),
    framed(Buffer.from(e, 'base64url')),
    framed(Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')])),
  ])
  return keyOf('ssh-rsa', blob, (text) => sign(hash, Buffer.from(text), privateKey))
}

/** From what ssh-keygen wrote; `toPem` gives the private part as PEM. */
export function keyFromFiles(publicLine: string, pem: string): RequestKey {
  const privateKey: KeyObject = createPrivateKey(pem)
  const [type = '', blob = ''] = publicLine.split(' ')
  return keyOf(type, Buffer.from(blob, 'base64'), (text) =>
    sign(type === 'ssh-rsa' ? 'sha512' : null, Buffer.from(text), privateKey),
  )
}

function keyOf(type: string, blob: Buffer, signer: (text: string) => Buffer): RequestKey {
  return {
    line: `${type} ${blob.toString('base64')}`,
    fingerprint: `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`,
    sign: signer,
  }
}
