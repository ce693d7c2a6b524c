import type { PublicKeyAuthContext, utils as SshUtils } from 'ssh2'
import { sshFingerprint } from '../../platform/ssh-key.ts'

/** `SHA256:...` of the key a client offers. */
export const offeredFingerprint = (context: PublicKeyAuthContext): string => sshFingerprint(context.key.data)

/** True for a mere offer (the client asks whether the key would do) and for a right signature over this very session. */
export function provesPossession(context: PublicKeyAuthContext, utils: typeof SshUtils): boolean {
  const { key, signature, blob, hashAlgo } = context
  const parsed = utils.parseKey(`${key.algo} ${key.data.toString('base64')}`)
  if (parsed instanceof Error || Array.isArray(parsed)) return false
  // NOTE: RSA without a hash algorithm would be the old SHA-1 signature.
  if (parsed.type === 'ssh-rsa' && hashAlgo === undefined) return false
  if (signature === undefined) return true
  return blob !== undefined && parsed.verify(blob, signature, hashAlgo) === true
}
