import { wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import type { GPGKey } from './gpg-key.model.ts'
import type { GpgKey, GpgSubkey } from './gpg-key.store.ts'

/** A primary key with its subkeys (behaviour/users-and-admin#gpg-keys). */
export function presentGpgKey(key: GpgKey): GPGKey {
  return {
    ...presentPart(key, key.isVerified),
    emails: key.emails.map((email) => ({ email, verified: true })),
    subkeys: key.subkeys.map((subkey) => ({ ...presentPart(subkey, key.isVerified), emails: null, subkeys: null })),
  }
}

/**
 * COMPAT: what a key can do follows from its algorithm alone, and certifying mirrors signing
 * (test/accounts/keys/gpg-keys.test.ts).
 */
function presentPart(part: GpgSubkey, isVerified: boolean) {
  return {
    id: part.id,
    primary_key_id: part.primaryKeyId ?? '',
    key_id: part.keyId,
    public_key: part.packet,
    can_sign: part.canSign,
    can_encrypt_comms: part.canEncrypt,
    can_encrypt_storage: part.canEncrypt,
    can_certify: part.canSign,
    verified: isVerified,
    created_at: wireTime(part.createdAt),
    expires_at: part.expiresAt === undefined ? ZERO_TIME : wireTime(part.expiresAt),
  }
}
