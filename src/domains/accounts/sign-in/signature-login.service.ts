import type { Core } from '../../../core/module.ts'
import { ALL_SCOPES, type SignedIn } from '../../../core/access/viewer.ts'
import {
  type HttpSignature,
  isTimely,
  parseHttpSignature,
  type SignableRequest,
  signedText,
} from '../../../core/platform/http/signature.ts'
import { framed, verifySshBlob } from '../../../core/platform/ssh/signature.ts'
import { findKeyUse } from '../keys/public-key.store.ts'
import { type User, findUserById } from '../users/user.store.ts'
import type { KeyLogins } from './key-logins.service.ts'
import type { KeyUse } from './key-use.ts'

export interface SignatureLoginDeps extends Pick<Core, 'database' | 'clock'> {
  readonly keyLogins: Pick<KeyLogins, 'findCertified' | 'recordUse'>
}

/** The account whose SSH key signed a request; undefined for an invalid signature. */
export type SignatureLogin = (request: SignableRequest) => Promise<SignedIn | undefined>

/**
 * NOTE: a signature can be replayed within this time; clients usually sign with a lifetime of some seconds and include
 * the changed data.
 */
const MAX_AGE_SECONDS = 300
const SKEW_SECONDS = 30

/**
 * HTTP signatures (behaviour/auth-and-access#authentication-methods). `keyId` is the fingerprint of a key of the user,
 * or the request contains a certificate. The signature must cover the request, the time and, if present, the digest of
 * the body; the reader of the body verifies the digest.
 */
export function createSignatureLogin({ database, clock, keyLogins }: SignatureLoginDeps): SignatureLogin {
  return async (request) => {
    const signature = parseHttpSignature(String(request.headers['signature'] ?? ''))
    if (signature === undefined || !coversEnough(signature, request)) return undefined
    const now = Math.floor(clock.now() / 1000)
    if (!isTimely(signature, request, { now, maxAge: MAX_AGE_SECONDS, skew: SKEW_SECONDS })) return undefined
    const text = signedText(signature, request)
    const signer = await findSigner(signature, request)
    if (text === undefined || signer === undefined || !isMadeBy(signer.key, signature.signature, text)) return undefined
    keyLogins.recordUse(signer.use)
    return {
      kind: 'user',
      account: signer.account,
      scopes: ALL_SCOPES,
      method: 'http-signature',
      tokenId: undefined,
      onlyRepos: undefined,
      ...(signer.use.kind === 'user' && { keyId: signer.use.id }),
    }
  }

  /**
   * COMPAT: with a certificate, clients send arbitrary values in `keyId`
   * (test/transports/git-ssh/certificates.test.ts).
   */
  async function findSigner(
    { keyId, covered }: HttpSignature,
    { headers }: SignableRequest,
  ): Promise<Signer | undefined> {
    const certificate = headers[CERTIFICATE]
    if (certificate === undefined) return findByFingerprint(keyId)
    const found = covered.includes(CERTIFICATE)
      ? await keyLogins.findCertified(Buffer.from(String(certificate), 'base64'))
      : undefined
    return found && { key: found.key, account: found.holder.user, use: found.holder.key }
  }

  async function findByFingerprint(fingerprint: string): Promise<Signer | undefined> {
    const { user: key } = await findKeyUse(database.read, fingerprint)
    const account = key && (await findUserById(database.read, key.userId))
    return (
      key &&
      account && { key: Buffer.from(key.blob, 'base64'), account, use: { kind: 'user', id: key.id, title: key.title } }
    )
  }
}

const CERTIFICATE = 'x-ssh-certificate'

interface Signer {
  /** The public key in wire form. */
  readonly key: Buffer
  readonly account: User
  readonly use: KeyUse
}

function coversEnough({ covered }: HttpSignature, { headers }: SignableRequest): boolean {
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
  return covered.includes('(request-target)') && (!hasBody || covered.includes('digest'))
}

const ALGORITHMS: Readonly<Record<string, readonly string[]>> = { 'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'] }

/** Clients send either the bare signature or the SSH framing with the algorithm. */
function isMadeBy(key: Buffer, signature: Buffer, text: string): boolean {
  const type = key.toString('latin1', 4, 4 + key.readUInt32BE(0))
  const data = Buffer.from(text)
  const framings = (ALGORITHMS[type] ?? [type]).map((algorithm) =>
    Buffer.concat([framed(algorithm), framed(signature)]),
  )
  return [...framings, signature].some((candidate) => verifySshBlob(key, candidate, data))
}
