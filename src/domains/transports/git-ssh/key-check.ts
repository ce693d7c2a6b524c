import type { utils as SshUtils } from 'ssh2'
import { parseSshPublicKey, sshFingerprint, SshKeyError } from '../../../core/platform/ssh/key.ts'
import { framed, verifySshBlob } from '../../../core/platform/ssh/signature.ts'

/** What the library leaves to its caller: an offered key with, in the second step, its signature over the session. */
export interface OfferedKey {
  readonly key: { readonly algo: string; readonly data: Buffer }
  /** Of RSA keys, when the client names one. */
  readonly hashAlgo?: string | undefined
  readonly signature?: Buffer | undefined
  /** What is signed. */
  readonly blob?: Buffer | undefined
}

/** `SHA256:...` of the key a client offers. */
export const offeredFingerprint = ({ key }: OfferedKey): string => sshFingerprint(key.data)

/** Kinds of keys that cannot be registered: DSA and unknown ones. */
export const isUnknownKind = (offered: OfferedKey): boolean => !KINDS.has(offered.key.algo) && !isCertificate(offered)

export const isCertificate = ({ key }: OfferedKey): boolean => key.algo.endsWith('-cert-v01@openssh.com')

/**
 * The algorithm name that the client sent, which the answer to an offer repeats (RFC 4252 §7); the library has the
 * key's own name.
 */
export const requestedAlgorithm = ({ key, hashAlgo }: OfferedKey): string =>
  key.algo === 'ssh-rsa' && hashAlgo !== undefined ? hashAlgo.replace('sha', 'rsa-sha2-') : key.algo

/**
 * As `provesPossession`, for the key within a certificate. NOTE: of these the library leaves the signature as it is.
 */
export const provesCertified = ({ signature, blob }: OfferedKey, key: Buffer): boolean =>
  signature === undefined || (blob !== undefined && verifySshBlob(key, signature, blob))

/**
 * True for a mere offer (the client asks whether the key would do) and for a right signature over this very session.
 */
export function provesPossession(offered: OfferedKey, utils: typeof SshUtils): boolean {
  if (!KINDS.has(offered.key.algo)) return false
  if (SECURITY_KEYS.has(offered.key.algo)) return securityKeyProves(offered)
  const { key, signature, blob, hashAlgo } = offered
  const parsed = utils.parseKey(`${key.algo} ${key.data.toString('base64')}`)
  if (parsed instanceof Error || Array.isArray(parsed)) return false
  // NOTE: RSA without a hash algorithm would be the old SHA-1 signature.
  if (parsed.type === 'ssh-rsa' && hashAlgo === undefined) return false
  if (signature === undefined) return true
  return blob !== undefined && parsed.verify(blob, signature, hashAlgo) === true
}

const SECURITY_KEYS = new Set(['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'])
const KINDS = new Set([
  ...SECURITY_KEYS,
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
])
/** One byte of flags, four of the counter. */
const TOKEN_STATE_BYTES = 5

/**
 * The library has no support for keys on hardware tokens (`sk-*`): they are checked here, and a user must have touched
 * the token.
 */
function securityKeyProves({ key, signature, blob }: OfferedKey): boolean {
  if (!isReadable(key)) return false
  if (signature === undefined) return true
  if (blob === undefined || signature.length < TOKEN_STATE_BYTES) return false
  // NOTE: the library has taken off the algorithm (where it is that of the key) and the length; both are put back.
  const bare = signature.subarray(0, -TOKEN_STATE_BYTES)
  return verifySshBlob(
    key.data,
    Buffer.concat([framed(key.algo), framed(bare), signature.subarray(-TOKEN_STATE_BYTES)]),
    blob,
  )
}

function isReadable({ algo, data }: OfferedKey['key']): boolean {
  try {
    return parseSshPublicKey(`${algo} ${data.toString('base64')}`).algorithm === algo
  } catch (error) {
    if (error instanceof SshKeyError) return false
    throw error
  }
}
